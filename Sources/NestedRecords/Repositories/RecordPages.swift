/// The records of a Swift type, some at a time: those of the types that it had before, then those of its record type.
///
/// In this order a record that gets its present type meanwhile is not overlooked.
struct RecordPages<Database: RecordDatabase> {
    private static var size: Int { 100 }

    private let database: Database
    private let info: RecordTypeInfo
    private var types: ArraySlice<String>
    private var type: String
    private var records: RecordSequence.Iterator

    /// The names of the records of former types.
    private var formerNames: Set<String> = []

    init(of type: any RecordRepresentable.Type, in database: Database) {
        self.database = database
        info = RecordTypeInfo.info(of: type)
        types = (info.formerTypes + [info.type])[...]
        self.type = types.removeFirst()
        records = database.records(ofType: self.type).makeAsyncIterator()
    }

    /// The next records, nil behind the last ones.
    mutating func next() async throws -> [Record]? {
        while true {
            var page: [Record] = []
            while page.count < Self.size, let record = try await records.next() { page.append(record) }
            if page.isEmpty {
                guard let next = types.popFirst() else { return nil }
                type = next
                records = database.records(ofType: type).makeAsyncIterator()
                continue
            }
            if type != info.type {
                page = try await withoutMigrated(page)
                formerNames.formUnion(page.map(\.id.name))
            } else if !formerNames.isEmpty {
                page.removeAll { formerNames.contains($0.id.name) }
            }
            if !page.isEmpty { return page }
        }
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
