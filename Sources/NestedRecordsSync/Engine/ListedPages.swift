import NestedRecords

/// The records of a database and the bases, page by page, in the order of their types and names.
struct ListedPages: AsyncSequence, AsyncIteratorProtocol {
    private let database: any RecordDatabase
    private let context: SyncContext

    /// The types that are not listed to their end.
    private var types: ArraySlice<String>

    /// The name in the first of the types after which the next call lists.
    private var name: String?
    private var listedCount = 0

    /// The type of the next page, and the name after which it begins; nil at the end.
    private(set) var position: (type: String, name: String?)?

    /// The pages of the last call, the next one at the end.
    private var pages: [ListedPage] = []

    /// - Parameters:
    ///   - types: The types of the records, sorted.
    ///   - database: The database beside the bases.
    ///   - start: A type, and the name of it after which the first page begins; nil for all records.
    ///   - context: The bases, and the size of a page.
    init(
        of types: [String], in database: any RecordDatabase, from start: (type: String, name: String?)? = nil,
        _ context: SyncContext
    ) {
        (self.database, self.context) = (database, context)
        self.types = types.drop { type in start.map { type < $0.type } ?? false }
        if let start, start.type == self.types.first { name = start.name }
        position = self.types.first.map { ($0, name) }
    }

    func makeAsyncIterator() -> ListedPages { self }

    mutating func next() async throws -> ListedPage? {
        if pages.isEmpty, let type = types.first {
            let limit = context.versionLimit(afterListing: listedCount)
            let page = try await ListedPage(of: type, in: database, after: name, limit: limit, context)
            name = page.end
            if name == nil { types.removeFirst() }
            listedCount += page.ids.count
            pages = page.parts(of: context.pageSize).reversed()
        }
        guard let page = pages.popLast() else { return nil }
        position = page.end == nil ? types.first.map { ($0, nil) } : (page.type, page.end)
        return page
    }
}

/// The records of a type in a part of the order of their names, in a database and among the bases.
struct ListedPage {
    let type: String

    /// The change tags of the records of the database.
    let tags: [Record.ID: String]

    /// The records that have a base.
    let based: Set<Record.ID>

    /// All of them, sorted.
    let ids: [Record.ID]

    /// The last name of the part; nil for the last part.
    let end: String?

    private init(_ type: String, _ tags: [Record.ID: String], _ based: Set<Record.ID>, end: String?) {
        (self.type, self.tags, self.based, self.end) = (type, tags, based, end)
        ids = Set(tags.keys).union(based).sorted()
    }

    init(
        of type: String, in database: any RecordDatabase, after name: String?, limit: Int, _ context: SyncContext
    ) async throws {
        let records = try await database.shownVersions(ofType: type, after: name, limit: limit)
        let bases = try await context.localFeed.database.versions(
            ofType: context.names.baseType(of: type), after: name, limit: limit
        ).map { try Record.ID(type: type, name: $0.id.name) }
        let lastRecord = records.count < limit ? nil : records.last?.id
        let lastBase = bases.count < limit ? nil : bases.last
        let last = [lastRecord, lastBase].compactMap(\.self).min()
        func isInside(_ id: Record.ID) -> Bool { last.map { id <= $0 } ?? true }
        var tags: [Record.ID: String] = [:]
        for record in records where isInside(record.id) {
            guard case .changeTag(let tag) = record.version else { continue }
            tags[record.id] = tag
        }
        self.init(type, tags, Set(bases.filter(isInside)), end: last?.name)
    }

    /// This page in parts of at most as many records.
    fileprivate func parts(of size: Int) -> [ListedPage] {
        if ids.count <= size { return [self] }
        return ids.parts(of: size).map { part in
            let end = part.endIndex == ids.endIndex ? end : part.last?.name
            return ListedPage(
                type, Dictionary(uniqueKeysWithValues: part.compactMap { id in tags[id].map { (id, $0) } }),
                based.intersection(part), end: end)
        }
    }
}
