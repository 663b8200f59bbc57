/// The versions that the closure of a transaction has written with another store, and so outside the transaction.
///
/// If the transaction has read one of these records, every attempt would write it again, and conflict with that.
final class TransactionWrites: Sendable {
    @TaskLocal static var current: TransactionWrites?

    /// The change tags of the written versions; nil for deleted records.
    private let tags: Lock<[Record.ID: String?]?> = Lock([:])

    /// The writes of the transaction around this one.
    private let outer: TransactionWrites?

    init() { outer = Self.current }

    func note(_ saved: [Record.ID: Record.Metadata], deleted: [Record.ID]) {
        tags.withLock { tags in
            for (id, metadata) in saved { tags?[id] = .some(metadata.changeTag) }
            for id in deleted { tags?[id] = .some(nil) }
        }
        outer?.note(saved, deleted: deleted)
    }

    /// Whether an error is about a version that was written here.
    func hasCaused(_ error: RecordDatabaseError) -> Bool {
        guard let id = error.recordID else { return false }
        guard let tag = tags.withLock({ $0?[id] }) else { return false }
        return tag == error.serverRecord?.metadata?.changeTag
    }

    /// Ends the notes: a task that the closure has started may still write.
    func end() { tags.withLock { $0 = nil } }
}
