import NestedRecords

extension RecordDatabase {
    /// A sentence for each missing record to which records refer now and did not before.
    func hintsAboutReferences(in records: [Record], before: [Record]) async throws -> [String] {
        func targets(_ records: [Record]) -> Set<Record.ID> { Set(records.flatMap { $0.references.map(\.id) }) }
        let added = targets(records).subtracting(targets(before))
        var missing = added.subtracting(try await recordsByID(for: added.sorted()).keys)
        return records.flatMap { $0.danglingReferences { missing.remove($0) != nil } }.map { "\($0)" }
    }
}
