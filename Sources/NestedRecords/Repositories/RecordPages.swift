/// The records of a Swift type, some at a time: those of its record type, then those of the types that it had before.
struct RecordPages<Database: RecordDatabase> {
    private static var size: Int { 100 }

    private let database: Database
    private let info: RecordTypeInfo
    private var types: ArraySlice<String>
    private var records: RecordSequence.Iterator?

    /// Whether the records are of a former type.
    private var areFormer = false

    init(of type: any RecordRepresentable.Type, in database: Database) {
        self.database = database
        info = RecordTypeInfo.info(of: type)
        types = info.formerTypes[...]
        records = database.records(ofType: info.type).makeAsyncIterator()
    }

    /// The next records, nil behind the last ones.
    mutating func next() async throws -> [Record]? {
        while var iterator = records {
            var page: [Record] = []
            while page.count < Self.size, let record = try await iterator.next() { page.append(record) }
            records = iterator
            if page.isEmpty {
                records = types.popFirst().map { database.records(ofType: $0).makeAsyncIterator() }
                areFormer = true
            } else if areFormer {
                page = try await withoutMigrated(page)
                if !page.isEmpty { return page }
            } else {
                return page
            }
        }
        return nil
    }

    /// The records of a former type, without those that are there under a later one too.
    private func withoutMigrated(_ page: [Record]) async throws -> [Record] {
        let formerTypes = [info.type] + info.formerTypes
        func isLater(_ type: String, than other: String) -> Bool {
            (formerTypes.firstIndex(of: type) ?? 0) < (formerTypes.firstIndex(of: other) ?? 0)
        }
        let ids = page.flatMap { record in
            info.aliases(of: record.id).filter { isLater($0.type, than: record.id.type) }
        }
        let present = Set(try await database.presentRecords(for: ids).map { $0.id })
        return page.filter { record in
            !info.aliases(of: record.id).contains { isLater($0.type, than: record.id.type) && present.contains($0) }
        }
    }
}
