import NestedRecords

/// The options for converting flat records to nested JSON, where records replace the references to them.
struct Nesting: Sendable {
    /// The maximum number of references from the root; nil for any.
    var depth: Int?

    /// Whether a reference to a missing record is an error; otherwise it stays a reference.
    var isStrict = false

    /// The key for the name of a record without such a field; nil for none.
    var idKey: String?

    /// Makes a nesting that follows all references.
    init() {}

    /// Fetches and decodes a record with all records it refers to.
    ///
    /// - Parameters:
    ///   - root: The outermost record.
    ///   - database: The database of the records.
    /// - Returns: The document, ready to be written.
    func document(_ root: Record.ID, in database: some RecordDatabase) async throws -> NestedDocument {
        let context = NestingContext(idKey: idKey)
        var decoder = RecordDecoder()
        decoder.coding.unwrapsSingleValues = false
        // The size of the output is limited instead.
        decoder.coding.maximumRecords = .max
        decoder.coding.userInfo[.nesting] = context
        let record: NestedRecord
        if let depth {
            let graph = try await records(within: depth, of: root, in: database)
            record = try decoder.decode(NestedRecord.self, from: graph, root: root)
        } else {
            record = try await decoder.decode(NestedRecord.self, from: root, in: database)
        }
        return NestedDocument(root: record, cycled: context.cycled, depth: depth, isStrict: isStrict)
    }

    /// The whole document that was flattened.
    ///
    /// - Parameters:
    ///   - document: The record of the document.
    ///   - database: The database of the records.
    /// - Throws: As ``document(_:in:)``.
    func document(_ document: DocumentRecord, in database: any RecordDatabase) async throws -> NestedDocument {
        if document.isValue, case .string(let id) = document.root {
            var nested = try await self.document(Record.ID(id), in: database)
            nested.add(document)
            nested.isLines = document.isLines
            nested.rootField = DocumentRecord.valueField
            return nested
        }
        let root = try Record(id: document.id, fields: [DocumentRecord.rootField: document.root.withReferencesForNames])
        // Each root and each object in an envelope has one reference more.
        var nesting = self
        nesting.depth = depth.map { $0 < .max ? $0 + 1 : $0 }
        var nested = try await nesting.document(document.id, in: database.adding(root))
        nested.add(document)
        nested.isLines = document.isLines
        nested.rootField = DocumentRecord.rootField
        return nested
    }

    // A decoder follows all references of a type or none, so it cannot stop at a depth.
    private func records(
        within depth: Int, of root: Record.ID, in database: some RecordDatabase
    ) async throws -> RecordGraph {
        var records: [Record.ID: Record] = [:]
        var level = [root]
        var distance = 0
        while !level.isEmpty {
            var next: Set<Record.ID> = []
            for start in stride(from: 0, to: level.count, by: max(1, min(database.limits.batchCount, level.count))) {
                let end = start + min(max(1, database.limits.batchCount), level.count - start)
                let found = try await database.recordsByID(for: Array(level[start..<end]))
                records.merge(found) { first, _ in first }
                guard distance < depth else { continue }
                for record in found.values { next.formUnion(record.references.lazy.filter { !$0.isLink }.map(\.id)) }
            }
            level = next.filter { records[$0] == nil }
            distance += 1
        }
        guard records[root] != nil else { throw RecordError(.recordNotFound, recordID: root) }
        return try RecordGraph(records.values)
    }
}

extension CodingUserInfoKey {
    /// The key of the ``NestingContext`` of a decoding.
    // The protocol requires a failable initializer, which never fails here.
    static let nesting = CodingUserInfoKey(rawValue: "records.nesting").unsafelyUnwrapped
}
