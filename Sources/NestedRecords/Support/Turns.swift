/// Lets calls run one after the other.
package final class Turns: Sendable {
    private let isTaken = Lock(false)
    private let bell = Doorbell()

    package init() {}

    /// Calls the closure after those before it have ended.
    ///
    /// - Throws: `CancellationError` while it waits; the errors of the closure.
    package func inTurn<Result>(_ call: () async throws -> Result) async throws -> Result {
        while !take() {
            try await bell.wait { [self] in !isTaken.withLock { $0 } }
        }
        defer {
            isTaken.withLock { $0 = false }
            bell.ring()
        }
        return try await call()
    }

    private func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
