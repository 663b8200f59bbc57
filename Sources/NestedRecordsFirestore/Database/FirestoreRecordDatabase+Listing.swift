public import NestedRecords

extension FirestoreRecordDatabase {
    /// Lists records in pages, in the order of their names; each costs a read.
    ///
    /// Collections whose names no type has are left out. Records that others save during the iteration may or may not be
    /// among them.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(pages: { DocumentPages(database: self, type: type) })
    }

    /// Returns a page of versions, whose documents are read without their fields.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        if limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        var query = StructuredQuery(names.collection(of: type))
        query.isOfNames = true
        query.after = try name.map { [names.reference(to: try Record.ID(type: type, name: $0))] } ?? []
        return try await documents(query, atMost: limit).map {
            RecordBatch.VersionedID($0.record.id, version: RecordBatch.Version(of: $0.record))
        }
    }

    /// The types of the records.
    ///
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/listCollectionIds
    func recordTypes() async throws -> [String] {
        if let types = options.types { return types }
        var types: [String] = []
        var token: JSONValue?
        repeat {
            let body = JSONValue.object(["pageSize": .integer(1_000), "pageToken": token])
            let answer: JSONValue
            do {
                answer = try await exchange.send("listCollectionIds", in: names.root, body)
            } catch let failure as FirestoreFailure where failure.error.code == .notPermitted {
                throw RecordDatabaseError(
                    .notPermitted,
                    reason: "records of all types cannot be found, since the collections may not be listed: "
                        + failure.message,
                    hint:
                        "name the types of the records in the option 'types': only owners of a project list collections"
                )
            }
            types += (answer["collectionIds"]?.elements ?? []).compactMap { $0.text.flatMap(names.type(ofCollection:)) }
            token = answer["nextPageToken"]?.text.flatMap { $0.isEmpty ? nil : $0.json }
        } while token != nil
        return types.sorted()
    }

    /// The documents of a query, read in pages.
    func documents(_ query: StructuredQuery, atMost limit: Int) async throws -> [StoredDocument] {
        try await reportingFailures {
            var (query, found) = (query, [StoredDocument]())
            while found.count < limit {
                let count = min(limit - found.count, DocumentPages.size)
                query.limit = count
                let page = try await run(query)
                found += page
                guard page.count == count, let last = page.last else { break }
                query.after = [names.reference(to: last.record.id)]
            }
            return found
        }
    }

    /// The documents of one answer.
    ///
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/runQuery
    ///
    /// - Parameter time: A moment of the last hour; nil for the present.
    func run(_ query: StructuredQuery, at time: String? = nil) async throws -> [StoredDocument] {
        let body = JSONValue.object(["structuredQuery": query.json, "readTime": time?.json])
        let answers = try await exchange.list("runQuery", in: names.root, body)
        // Also an answer without documents has the time at which it was read.
        if answers.isEmpty { throw FirestoreExchange.cut("runQuery") }
        return try answers.compactMap { $0["document"] }.map { try DocumentDecoder.record($0, names) }
    }
}

extension FirestoreRecordDatabase: TypeCountingRecordDatabase {
    package func recordCounts() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for type in try await reportingFailures({ try await recordTypes() }) {
            counts[type] = try await count(RecordQuery(type))
        }
        return counts.filter { $0.value > 0 }
    }
}

/// The records of a type, or of all types one after the other.
struct DocumentPages: AsyncIteratorProtocol {
    /// The number of documents in one answer.
    static let size = 300

    private let database: FirestoreRecordDatabase
    private var types: [String]?
    private var query: StructuredQuery?

    init(database: FirestoreRecordDatabase, type: String?) {
        self.database = database
        types = type.map { [$0] }
    }

    mutating func next() async throws -> [Record]? {
        let database = database
        var left: [String]
        if let types { left = types } else { left = try await repeating { try await database.recordTypes() } }
        defer { types = left }
        while true {
            if query == nil {
                if left.isEmpty { return nil }
                query = StructuredQuery(database.names.collection(of: left.removeFirst()))
            }
            guard var current = query else { return nil }
            current.limit = Self.size
            let page = try await repeating { [current] in try await database.run(current) }
            current.after = page.last.map { [database.names.reference(to: $0.record.id)] } ?? []
            query = page.count == Self.size ? current : nil
            if !page.isEmpty { return page.map(\.record) }
        }
    }
}
