public import NestedRecords

extension FirestoreRecordDatabase {
    /// Fetches records with one request.
    ///
    /// They are of one moment. Each ID costs a read, also that of a missing record.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try checkCount(of: ids)
        let named = ids.filter { names.fault(of: $0) == nil }
        return try await reportingFailures { try await documents(for: named).map(\.record) }
    }

    /// The documents of records, of one moment.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - time: A moment of the last hour; nil for the present.
    /// - Throws: `FirestoreFailure`; `RecordDatabaseError` with the code `connectionLost` unless each document is found or
    ///   missing.
    func documents(for ids: [Record.ID], at time: String? = nil) async throws -> [StoredDocument] {
        try await found(ids, mask: nil, at: time).map { try DocumentDecoder.record($0, names) }
    }

    /// The answers about documents, without the missing ones.
    private func found(_ ids: [Record.ID], mask: String?, at time: String? = nil) async throws -> [JSONValue] {
        if ids.isEmpty { return [] }
        var paths = Set(ids.map { Array(names.path(of: $0).utf8) })
        let body = JSONValue.object([
            "documents": .list(ids.map { names.path(of: $0).json }),
            "mask": mask.map { .object(["fieldPaths": .list([$0.json])]) },
            // Without a transaction, documents may be of different moments.
            "newTransaction": time == nil && ids.count > 1 ? .object(["readOnly": .object([:])]) : nil,
            "readTime": time?.json,
        ])
        var found: [JSONValue] = []
        for answer in try await exchange.list("batchGet", in: names.database, body) {
            guard let path = answer["missing"]?.text ?? answer["found"]?["name"]?.text else { continue }
            guard paths.remove(Array(path.utf8)) != nil else {
                throw RecordError(
                    .invalidResponse, reason: "it returned \(path.debugDescription) twice, or without a request")
            }
            if let document = answer["found"] { found.append(document) }
        }
        if !paths.isEmpty { throw FirestoreExchange.cut("batchGet") }
        return found
    }

    /// The marks and the metadata of records, without their fields.
    func saveMarks(of ids: [Record.ID]) async throws -> [Record.ID: StoredDocument] {
        let documents = try await repeating {
            try await found(ids, mask: Shadow.savePath).map { try DocumentDecoder.record($0, names) }
        }
        return Dictionary(documents.map { ($0.record.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
