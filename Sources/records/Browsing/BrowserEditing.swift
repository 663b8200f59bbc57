import NestedRecords

/// How `browse` changes records: it opens the database for writing for each change only, so that others can write.
struct BrowserEditing: Sendable {
    static let refusal = "only records of a database can be changed; 'records copy' makes one"

    let console: Console
    let open: @Sendable () async throws -> any StoredDatabase

    /// Edits a record in the user's editor.
    ///
    /// - Returns: What was done.
    func edit(_ id: Record.ID, from input: RecordInput) async throws -> String {
        let change = try await RecordEdit(id: id, input: input, console: console) { try await undoable(console) }.run()
        return change.map { "\(id) is saved\($0.1.note)" } ?? "nothing is changed"
    }

    /// - Parameter console: Where to ask; nil while the browser has the terminal.
    private func undoable(_ console: Console?) async throws -> UndoRecorder {
        let step = UndoStep(of: "browse", isComplete: true)
        return try await UndoRecorder(try await open(), named: "the database", for: step, console: console)
    }

    /// Deletes the records of a plan.
    ///
    /// - Returns: What was done.
    func delete(_ plan: DeletionPlan) async throws -> String {
        let database = try await undoable(nil)
        do {
            let deleted = try await database.delete(plan)
            try await database.close()
            return "deleted \(deleted.count.countedRecords)\(database.note)"
        } catch {
            try? await database.close()
            throw error
        }
    }
}

extension UndoRecorder {
    /// How to take the change back, after a sentence about it.
    fileprivate var note: String { hasStep ? "; 'records undo' takes it back" : "" }
}
