/// A feed that finds changes by asking for the newest position, once for all waiting readers.
///
/// A store without notifications wraps its feed in one of these, which replaces only ``RecordFeed/waitForChanges(after:)``:
/// while readers wait, one task asks for the position, after pauses that double up to the longest one as long as nothing
/// changes. A push message of the store ends the pause: ``checkNow()``.
@_spi(Engines) public final class PolledFeed: RecordFeed {
    private let base: any RecordFeed
    private let pauses: ClosedRange<Duration>
    private let state = Lock(State())
    private let news = Doorbell()
    private let push = Doorbell()

    private struct State {
        var waiterCount = 0
        var poller: Task<Void, Never>?
        var newest: ChangeToken?
        var failure: (any Error)?
    }

    /// Makes a feed.
    ///
    /// - Parameters:
    ///   - base: The feed of the store, whose `waitForChanges(after:)` is not called.
    ///   - pauses: The shortest and the longest pause between two looks.
    public init(_ base: any RecordFeed, pauses: ClosedRange<Duration> = .seconds(1) ... .seconds(30)) {
        (self.base, self.pauses) = (base, pauses)
    }

    /// The database of the store's feed.
    public var database: any RecordDatabase { base.database }

    /// Asks the store.
    public func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    /// Asks the store.
    public func oldestChangeToken() async throws -> ChangeToken { try await base.oldestChangeToken() }

    /// Asks the store.
    public func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await base.storedChanges(since: token, limit: limit)
    }

    /// Looks for changes at once: something has said that there may be some.
    public func checkNow() { push.ring() }

    /// Waits until the position of the store differs from a token.
    ///
    /// - Throws: The errors of the look that failed, for all waiting readers; `CancellationError`.
    public func waitForChanges(after token: ChangeToken) async throws {
        // A token of another store, or one that has expired, is refused at once, and a change before the wait is found.
        guard var start = try await tokenAfterSystemChanges(since: token) else { return }
        beginWaiting(from: start)
        defer { endWaiting() }
        while true {
            let count = news.ringCount
            let (newest, failure) = state.withLock { ($0.newest, $0.failure) }
            if let failure { throw failure }
            if let newest, newest != start {
                guard let later = try await tokenAfterSystemChanges(since: start) else { return }
                if later != start {
                    start = later
                    continue
                }
                // Either the look is older than the page, or the feed shows the changes later: the next look is news.
                state.withLock { $0.newest = start }
            }
            try await news.wait { news.ringCount != count }
        }
    }

    private func beginWaiting(from token: ChangeToken) {
        state.withLock { state in
            state.waiterCount += 1
            // The caller has just read the position.
            (state.newest, state.failure) = (token, nil)
            guard state.poller == nil else { return }
            state.poller = Task { [weak self, base, push, pauses] in
                var pause = pauses.lowerBound
                while !Task.isCancelled {
                    let count = push.ringCount
                    do {
                        try await push.wait(after: count, atMost: pause)
                        let token = try await base.changeToken()
                        guard let self else { return }
                        pause = self.note(.success(token)) ? pauses.lowerBound : min(pause * 2, pauses.upperBound)
                    } catch {
                        if Task.isCancelled { return }
                        guard let self else { return }
                        _ = self.note(.failure(error))
                        pause = min(pause * 2, pauses.upperBound)
                    }
                }
            }
        }
        news.ring()
    }

    /// Notes the result of a look, and wakes the readers if it says something new.
    private func note(_ result: Result<ChangeToken, any Error>) -> Bool {
        let isNew = state.withLock { state in
            switch result {
            case .success(let token):
                let isNew = token != state.newest
                (state.newest, state.failure) = (token, nil)
                return isNew
            case .failure(let error):
                state.failure = error
                return true
            }
        }
        if isNew { news.ring() }
        return isNew
    }

    private func endWaiting() {
        let poller = state.withLock { state -> Task<Void, Never>? in
            state.waiterCount -= 1
            guard state.waiterCount == 0 else { return nil }
            defer { state.poller = nil }
            return state.poller
        }
        poller?.cancel()
    }
}
