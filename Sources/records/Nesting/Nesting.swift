@_spi(Engines) import NestedRecords

/// The options for converting flat records to nested JSON, where records replace the references to them.
struct Nesting: Sendable {
    /// The maximum number of references from the root; nil for any.
    var depth: Int?

    /// Whether a reference to a missing record is an error; otherwise it stays a reference.
    var isStrict = false

    /// The key for the name of a record without such a field; nil for none.
    var idKey: String?

    /// Fetches a record with all records it refers to, level by level.
    ///
    /// - Throws: `RecordError.recordNotFound` if the root does not exist, and errors of the database.
    func document(_ root: Record.ID, in database: any RecordDatabase) async throws -> NestedDocument {
        var records: [Record.ID: Record] = [:]
        var (level, distance) = ([root], 0)
        while !level.isEmpty {
            var next: Set<Record.ID> = []
            for portion in level.portions(of: database.limits.batchCount) {
                let found = try await database.recordsByID(for: Array(portion))
                records.merge(found) { first, _ in first }
                guard distance < depth ?? .max else { continue }
                for record in found.values { next.formUnion(record.references.lazy.filter { !$0.isLink }.map(\.id)) }
            }
            level = next.filter { records[$0] == nil }
            distance += 1
        }
        guard records[root] != nil else { throw RecordError(.recordNotFound, recordID: root) }
        return NestedDocument(root, records, self)
    }

    /// The whole document that was flattened.
    func document(_ document: DocumentRecord, in database: any RecordDatabase) async throws -> NestedDocument {
        var nested: NestedDocument
        if document.isValue, case .string(let id) = document.root {
            nested = try await self.document(Record.ID(id), in: database)
            nested.rootField = DocumentRecord.valueField
        } else {
            let fields: Record.Fields = [DocumentRecord.rootField: try document.root.withReferencesForNames]
            // Each root and each object in an envelope has one reference more.
            var nesting = self
            nesting.depth = depth.map { $0 < .max ? $0 + 1 : $0 }
            nested = try await nesting.document(
                document.id, in: database.adding(try Record(id: document.id, fields: fields)))
            nested.rootField = DocumentRecord.rootField
        }
        nested.add(document)
        nested.isLines = document.isLines
        return nested
    }
}
