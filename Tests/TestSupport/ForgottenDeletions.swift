package import NestedRecords

extension RecordDatabase {
    /// Deletes so many records that a database which remembers at most 50 deletions forgets those before.
    package func crowdOutDeletions() async throws {
        for number in 0..<80 {
            let record = try Record(id: Record.ID(type: "Forgotten", name: "\(number)"), fields: [:])
            try await commit(RecordBatch(saving: [record]))
            try await commit(RecordBatch(deletingAnyVersionOf: [record.id]))
        }
    }
}
