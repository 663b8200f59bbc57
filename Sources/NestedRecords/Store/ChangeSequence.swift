/// The changes of a database after a token.
///
/// ```swift
/// for try await changes in database.changes(since: token, ofTypes: ["Book"]) {
///     send(changes.saved, changes.deleted)
///     store(changes.token)
/// }
/// ```
///
/// The sequence does not end: after the last change it waits for the next one. Nothing is buffered for a slow reader.
public struct ChangeSequence: AsyncSequence, Sendable {
    /// A page of changes.
    public typealias Element = RecordChanges

    let database: any ObservableRecordDatabase
    let token: ChangeToken
    let types: Set<String>?
    let limit: Int

    /// Starts after the token.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// Iterates over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: ChangeSequence
        private var token: ChangeToken
        private var mustWait = false

        init(source: ChangeSequence) {
            self.source = source
            token = source.token
        }

        /// The next changes; they are not empty.
        ///
        /// - Throws: The errors of ``ObservableRecordDatabase/changes(since:limit:)``, and `CancellationError`.
        public mutating func next() async throws -> RecordChanges? {
            var pause = IdlePause()
            while true {
                try Task.checkCancellation()
                if mustWait { try await source.database.waitForChanges(after: token) }
                var changes = try await source.database.changes(since: token, limit: source.limit)
                token = changes.token
                mustWait = changes.isComplete
                if let types = source.types {
                    changes.saved.removeAll { !types.contains($0.id.type) }
                    changes.deleted.removeAll { !types.contains($0.type) }
                }
                if !changes.isEmpty { return changes }
                if mustWait { try await pause.wait() }
            }
        }
    }
}

extension ChangeSequence: CustomStringConvertible {
    /// The name of the type; the changes are not read yet.
    public var description: String { "ChangeSequence (read when iterated)" }
}

extension ChangeSequence: ChildlessReflectable {}

extension ObservableRecordDatabase {
    /// The changes after a token, page by page.
    ///
    /// - Parameters:
    ///   - token: The token of the last known change; ``changeToken()`` for changes from now on.
    ///   - types: The record types; nil for all.
    ///   - limit: The number of records after which a page ends.
    /// - Returns: The sequence of pages.
    public func changes(
        since token: ChangeToken, ofTypes types: Set<String>?, limit: Int = 1_000
    ) -> ChangeSequence {
        ChangeSequence(database: self, token: token, types: types, limit: limit)
    }
}
