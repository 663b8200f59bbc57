import NestedRecords

/// Notices changes of a database, and wakes the window.
final class BrowserNews: Sendable {
    private let hasChanges = Lock(false)

    /// Starts to wait for changes.
    func watch(_ feed: any RecordFeed, after start: ChangeToken, _ waker: FullScreen.Waker) -> Task<
        Void, any Error
    > {
        Task {
            var token = start
            while !Task.isCancelled {
                try await feed.waitForChanges(after: token)
                let now = try await feed.changeToken()
                if now != token {
                    token = now
                    hasChanges.withLock { $0 = true }
                    waker.wake()
                }
                // A busy database must not keep the window busy.
                try await Task.sleep(for: .milliseconds(300))
            }
        }
    }

    /// Whether there were changes since the last call.
    func take() -> Bool {
        hasChanges.withLock { hasChanges in
            defer { hasChanges = false }
            return hasChanges
        }
    }
}
