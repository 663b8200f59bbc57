import NestedRecords
import Testing

@testable import NestedRecordsHTTP

@Suite struct ReaderUsageTests {
    private final class Clock: Sendable {
        private let now = Lock(ContinuousClock.now)

        func read() -> ContinuousClock.Instant { now.withLock { $0 } }

        func advance(by duration: Duration) { now.withLock { $0 = $0.advanced(by: duration) } }
    }

    @Test func readerIsRefusedUntilTheMinuteEnds() throws {
        let clock = Clock()
        var quota = ReaderQuota()
        (quota.requestsPerMinute, quota.examinedPerMinute) = (2, 10)
        (quota.recordsPerMinute, quota.bytesPerMinute) = (10, 10)
        let usage = ReaderUsage(quota, now: clock.read)
        for _ in 0..<2 { try usage.begin(of: "ann") }
        clock.advance(by: .seconds(20))
        let error = #expect(throws: RecordDatabaseError.self) { try usage.begin(of: "ann") }
        #expect(error?.retryAfter == .seconds(40))
        try usage.begin(of: "bob")
        clock.advance(by: .seconds(40))
        try usage.begin(of: "ann")
        usage.add(examined: 11, of: "ann")
        usage.add(records: 11, of: "bob")
        usage.add(bytes: 11, of: "cy")
        #expect(throws: RecordDatabaseError.self) { try usage.begin(of: "ann") }
        #expect(throws: RecordDatabaseError.self) { try usage.begin(of: "bob") }
        #expect(throws: RecordDatabaseError.self) { try usage.begin(of: "cy") }
        clock.advance(by: .seconds(60))
        try usage.begin(of: "ann")
    }

    @Test func waitsAndListsAreCountedWhileTheyLast() throws {
        let clock = Clock()
        var quota = ReaderQuota()
        (quota.waits, quota.lists) = (1, 1)
        let usage = ReaderUsage(quota, now: clock.read)
        try usage.beginWait(of: "ann")
        clock.advance(by: .seconds(100))
        #expect(throws: RecordDatabaseError.self) { try usage.beginWait(of: "ann") }
        try usage.beginWait(of: "bob")
        usage.endWait(of: "ann")
        try usage.beginWait(of: "ann")
        var list: ReaderUsage.OpenList? = try usage.beginList(of: "ann")
        #expect(throws: RecordDatabaseError.self) { try usage.beginList(of: "ann") }
        withExtendedLifetime(list) {}
        list = nil
        _ = try usage.beginList(of: "ann")
    }

    @Test func bytesOfBodiesAreCountedUntilTheBodiesAreReleased() throws {
        let clock = Clock()
        var quota = ReaderQuota()
        (quota.openBytes, quota.bytesPerMinute) = (10, .max)
        let usage = ReaderUsage(quota, now: clock.read)
        var body: ReaderUsage.OpenBody? = usage.beginBody(of: "ann")
        try body?.add(10)
        // They stay in memory, so the end of a minute does not free them.
        clock.advance(by: .seconds(100))
        let refused = usage.beginBody(of: "ann")
        let error = #expect(throws: RecordDatabaseError.self) { try refused.add(1) }
        #expect(error?.code == .tooManyRequests)
        try usage.beginBody(of: "bob").add(10)
        withExtendedLifetime((body, refused)) {}
        body = nil
        try usage.beginBody(of: "ann").add(9)
    }
}
