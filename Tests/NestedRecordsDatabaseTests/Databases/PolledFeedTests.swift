@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@Suite struct PolledFeedTests {
    struct Malfunction: Error {}

    /// The feed of a database in memory, which counts the looks at its position.
    struct CountedFeed: RecordFeed {
        let memory = InMemoryRecordDatabase()
        let looks = Locked(0)
        /// The number of pages that were read.
        let reads = Locked(0)
        let failure = Locked<(any Error)?>(nil)
        /// Hides the changes, but not the position.
        let hidesChanges = Locked(false)
        var database: any RecordDatabase { memory }

        func changeToken() async throws -> ChangeToken {
            looks.withLock { $0 += 1 }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return try await memory.changeToken()
        }

        func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
            if hidesChanges.withLock({ $0 }) { return RecordChanges(token: token, isComplete: true) }
            defer { reads.withLock { $0 += 1 } }
            return try await memory.storedChanges(since: token, limit: limit)
        }

        func waitForChanges(after token: ChangeToken) async throws {
            Issue.record("the feed is polled, and does not wait itself")
        }

        func save(_ name: String) async throws {
            try await memory.commit(
                RecordBatch(saving: [Record(id: Record.ID(type: "Sample", name: name), fields: [:])]))
        }

        func waitForLooks(_ count: Int) async throws {
            let end = looks.withLock { $0 } + count
            while looks.withLock({ $0 }) < end { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private let base = CountedFeed()

    /// Begins a wait, and returns when it has found no change: only a look can end it then.
    private func beginWait(
        in feed: PolledFeed, after token: ChangeToken
    ) async throws -> (task: Task<Void, any Error>, isDone: Locked<Bool>) {
        let isDone = Locked(false)
        let task = Task {
            try await feed.waitForChanges(after: token)
            isDone.withLock { $0 = true }
        }
        while base.reads.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        return (task, isDone)
    }

    @Test(.timeLimit(.minutes(60))) func oneTaskLooksForAllReaders() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(50) ... .milliseconds(50))
        let token = try await base.memory.changeToken()
        let waits = (0..<50).map { _ in Task { try await feed.waitForChanges(after: token) } }
        try await base.waitForLooks(10)
        let start = ContinuousClock.now
        let before = base.looks.withLock { $0 }
        try await Task.sleep(for: .seconds(1))
        let count = base.looks.withLock { $0 } - before
        #expect(Double(count) <= 1 + (ContinuousClock.now - start) / .milliseconds(50))
        try await base.save("a")
        for wait in waits { try await wait.value }
    }

    @Test(.timeLimit(.minutes(60))) func pausesDoubleUpToTheLongest() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(1) ... .milliseconds(200))
        let token = try await base.memory.changeToken()
        let start = ContinuousClock.now
        let wait = Task { try await feed.waitForChanges(after: token) }
        // 1 + 2 + 4 + … + 128 ms, and then 200 ms each.
        try await base.waitForLooks(18)
        #expect(ContinuousClock.now - start >= .milliseconds(255 + 10 * 200))
        try await base.save("a")
        try await wait.value
    }

    @Test(.timeLimit(.minutes(60))) func changeMakesThePausesShortAgain() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(1) ... .seconds(3_600))
        let start = try await base.memory.changeToken()
        let token = Locked(start)
        // A reader that goes on after each change, so that the task does not end.
        let reader = Task {
            while true {
                try await feed.waitForChanges(after: token.withLock { $0 })
                let newest = try await base.memory.changeToken()
                token.withLock { $0 = newest }
            }
        }
        let other = Task { while true { try await feed.waitForChanges(after: base.memory.changeToken()) } }
        try await base.waitForLooks(10)
        try await base.save("a")
        while token.withLock({ $0 }) == start { try await Task.sleep(for: .milliseconds(1)) }
        let change = ContinuousClock.now
        // Two seconds in all, and 17 minutes if the pauses went on from half a second.
        try await base.waitForLooks(11)
        #expect(ContinuousClock.now - change < .seconds(900))
        reader.cancel()
        other.cancel()
    }

    @Test(.timeLimit(.minutes(60))) func checkNowEndsThePause() async throws {
        let feed = PolledFeed(base, pauses: .seconds(3_600) ... .seconds(3_600))
        let token = try await base.memory.changeToken()
        let wait = try await beginWait(in: feed, after: token)
        try await base.save("a")
        while !wait.isDone.withLock({ $0 }) {
            feed.checkNow()
            try await Task.sleep(for: .milliseconds(5))
        }
        try await wait.task.value
    }

    @Test(.timeLimit(.minutes(60))) func failureOfALookEndsTheWaitsAndNotLaterOnes() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(1) ... .milliseconds(1))
        let token = try await base.memory.changeToken()
        let waits = (0..<3).map { _ in Task { try await feed.waitForChanges(after: token) } }
        let other = Task { while !Task.isCancelled { try? await feed.waitForChanges(after: token) } }
        try await base.waitForLooks(3)
        base.failure.withLock { $0 = Malfunction() }
        for wait in waits { await #expect(throws: Malfunction.self) { try await wait.value } }
        base.failure.withLock { $0 = nil }
        other.cancel()
        let wait = Task { try await feed.waitForChanges(after: token) }
        try await base.waitForLooks(3)
        try await base.save("a")
        try await wait.value
    }

    @Test(.timeLimit(.minutes(60))) func nothingLooksWithoutReaders() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(1) ... .milliseconds(1))
        let token = try await base.memory.changeToken()
        let waits = (0..<3).map { _ in Task { try await feed.waitForChanges(after: token) } }
        try await base.waitForLooks(3)
        for wait in waits {
            wait.cancel()
            _ = await wait.result
        }
        // One look may have begun.
        let count = base.looks.withLock { $0 }
        try await Task.sleep(for: .milliseconds(200))
        #expect(base.looks.withLock { $0 } <= count + 1)
    }

    @Test(.timeLimit(.minutes(60))) func changesThatShowAfterTheirPositionEndTheWait() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(1) ... .milliseconds(1))
        let wait = try await beginWait(in: feed, after: base.memory.changeToken())
        base.hidesChanges.withLock { $0 = true }
        try await base.save("a")
        try await base.waitForLooks(20)
        #expect(!wait.isDone.withLock { $0 })
        base.hidesChanges.withLock { $0 = false }
        try await wait.task.value
    }

    @Test(.timeLimit(.minutes(60))) func systemRecordsEndNoWait() async throws {
        let feed = PolledFeed(base, pauses: .milliseconds(1) ... .milliseconds(1))
        let token = try await base.memory.changeToken()
        let wait = try await beginWait(in: feed, after: token)
        let record = try Record(id: Record.ID(type: Record.ID.reservedTypePrefix + "Sample", name: "a"), fields: [:])
        for _ in 0..<200 {
            try await base.memory.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            try await base.waitForLooks(1)
        }
        #expect(!wait.isDone.withLock { $0 })
        // A page may be newer than the look that led to it, and is read once more then.
        #expect(base.reads.withLock { $0 } <= 2 * base.looks.withLock { $0 } + 2)
        try await base.save("a")
        try await wait.task.value
    }

    @Test(.timeLimit(.minutes(60))) func readersThatGoOnAfterAFailureWaitForTheNextLook() async throws {
        let feed = PolledFeed(base, pauses: .seconds(3_600) ... .seconds(3_600))
        let token = try await base.memory.changeToken()
        let failures = Locked(0)
        let readers = (0..<20).map { _ in
            Task {
                while !Task.isCancelled {
                    do { try await feed.waitForChanges(after: token) } catch is Malfunction {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
        }
        while base.reads.withLock({ $0 }) < readers.count { try await Task.sleep(for: .milliseconds(1)) }
        base.failure.withLock { $0 = Malfunction() }
        while failures.withLock({ $0 }) == 0 {
            feed.checkNow()
            try await Task.sleep(for: .milliseconds(5))
        }
        base.failure.withLock { $0 = nil }
        try await Task.sleep(for: .milliseconds(200))
        let looks = base.looks.withLock { $0 }
        #expect(failures.withLock { $0 } <= looks * readers.count)
        for reader in readers {
            reader.cancel()
            _ = await reader.result
        }
    }
}
