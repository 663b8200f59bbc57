import NestedRecords

/// How `browse` changes records: it opens the database for writing for each change only, so that others can write.
struct BrowserEditing: Sendable {
    static let refusal = "only records of a database can be changed; 'records copy' makes one"

    let console: Console
    let open: @Sendable () async throws -> any StoredDatabase

    /// Edits a record in the user's editor.
    ///
    /// - Returns: What was done.
    /// - Throws: ``InputError``, and errors of the database.
    func edit(_ id: Record.ID, from input: RecordInput) async throws -> String {
        let difference = try await RecordEdit(id: id, input: input, console: console, open: open).run()
        return difference == nil ? "nothing is changed" : "\(id) is saved"
    }

    /// Deletes the records of a plan.
    ///
    /// - Returns: The number of deleted records.
    /// - Throws: Errors of the database.
    func delete(_ plan: DeletionPlan) async throws -> Int {
        let database = try await open()
        do {
            let deleted = try await database.delete(plan)
            try await database.close()
            return deleted.count
        } catch {
            try? await database.close()
            throw error
        }
    }
}
