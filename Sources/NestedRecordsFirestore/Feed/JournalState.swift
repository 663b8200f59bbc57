import NestedRecords

/// What a database knows of its journal.
final class JournalState: Sendable {
    let options: FirestoreRecordDatabase.Journal
    private let position = Lock(JournalPosition?.none)

    /// The commits of this process run one after the other: otherwise each would take the number of the others.
    let turns = Turns()

    init(_ options: FirestoreRecordDatabase.Journal) { self.options = options }

    /// The newest entry that the database has seen; others may have made later ones.
    var newest: JournalPosition? { position.withLock { $0 } }

    func note(_ new: JournalPosition) {
        position.withLock { position in
            if new.number >= position?.number ?? 0 { position = new }
        }
    }
}
