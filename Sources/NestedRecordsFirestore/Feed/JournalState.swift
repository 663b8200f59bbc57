import NestedRecords

/// What a database knows of its journal.
final class JournalState: Sendable {
    private struct State {
        var newest: JournalPosition?
        var isTaken = false
    }

    let options: FirestoreRecordDatabase.Journal
    private let state = Lock(State())
    private let bell = Doorbell()

    init(_ options: FirestoreRecordDatabase.Journal) { self.options = options }

    /// The newest entry that the database has seen; others may have made later ones.
    var newest: JournalPosition? { state.withLock { $0.newest } }

    func note(_ position: JournalPosition) {
        state.withLock { state in
            if position.number >= state.newest?.number ?? 0 { state.newest = position }
        }
    }

    /// Runs the commits of this process one after the other: otherwise each would take the number of the others.
    func inTurn<Result>(_ commit: () async throws -> Result) async throws -> Result {
        while !takeTurn() {
            try await bell.wait { [self] in state.withLock { !$0.isTaken } }
        }
        defer {
            state.withLock { $0.isTaken = false }
            bell.ring()
        }
        return try await commit()
    }

    private func takeTurn() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }
}
