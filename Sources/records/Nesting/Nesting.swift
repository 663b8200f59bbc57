import NestedRecords

/// How flat records become nested JSON again: references are followed, and what they lead to is nested in their place.
struct Nesting: Sendable {
    /// How many references from the root are followed; nil for all.
    var depth: Int?

    /// Whether a reference to a record that is not there is an error; else it stays a reference.
    var isStrict = false

    /// The key under which a record without such a field has its name; nil for none.
    var idKey: String?

    /// Makes a nesting that follows all references.
    init() {}

    /// Fetches and decodes a record with all that it leads to.
    ///
    /// - Parameters:
    ///   - root: The record to begin with.
    ///   - database: Where the records are.
    /// - Returns: The document, ready to be written.
    /// - Throws: The errors of `RecordDecoder`.
    func document(_ root: Record.ID, in database: some RecordDatabase) async throws -> NestedDocument {
        let context = NestingContext(idKey: idKey)
        var decoder = RecordDecoder()
        decoder.coding.unwrapsSingleValues = false
        // The size of what is printed is limited instead.
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

    // A decoder follows the references of a type everywhere or nowhere: beyond the depth, too.
    private func records(
        within depth: Int, of root: Record.ID, in database: some RecordDatabase
    ) async throws -> RecordGraph {
        var records: [Record.ID: Record] = [:]
        var level = [root]
        var distance = 0
        while !level.isEmpty {
            var next: Set<Record.ID> = []
            for start in stride(from: 0, to: level.count, by: max(1, min(database.batchLimit, level.count))) {
                let end = start + min(max(1, database.batchLimit), level.count - start)
                let found = try await database.recordsByID(for: Array(level[start..<end]))
                records.merge(found) { first, _ in first }
                guard distance < depth else { continue }
                for record in found.values { next.formUnion(record.references.lazy.filter { !$0.isLink }.map(\.id)) }
            }
            level = next.filter { records[$0] == nil }
            distance += 1
        }
        guard records[root] != nil else { throw RecordError.recordNotFound(root) }
        return try RecordGraph(records.values)
    }
}

extension CodingUserInfoKey {
    /// The key of the ``NestingContext`` of a decoding.
    // The initializer is failable for its protocol's sake, and never fails.
    static let nesting = CodingUserInfoKey(rawValue: "records.nesting").unsafelyUnwrapped
}
