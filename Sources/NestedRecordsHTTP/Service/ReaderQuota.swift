import NestedRecords

/// How much one reader of a service may ask for.
public struct ReaderQuota: Sendable {
    /// The maximum number of requests in a minute.
    public var requestsPerMinute = 6_000

    /// The maximum number of records that queries may examine in a minute; a count and a summary examine their matches.
    public var examinedPerMinute = 10_000_000

    /// The maximum number of records in answers in a minute.
    public var recordsPerMinute = 10_000_000

    /// The maximum number of bytes in the bodies of requests and answers in a minute.
    public var bytesPerMinute = 1 << 30

    /// The maximum number of bytes in the bodies of requests that arrive or are answered at the same time: 64 MiB.
    public var openBytes = 64 << 20

    /// The maximum number of requests that wait for changes at the same time.
    public var waits = 20

    /// The maximum number of lists that are sent at the same time.
    public var lists = 4

    /// Makes a quota.
    public init() {}
}

/// What readers have asked for in the last minute.
final class ReaderUsage: Sendable {
    private struct Usage {
        var minute: ContinuousClock.Instant
        var requests = 0
        var examined = 0
        var records = 0
        var bytes = 0
        var openBytes = 0
        var waits = 0
        var lists = 0
        var hasRemoved = false
    }

    private let quota: ReaderQuota
    private let now: @Sendable () -> ContinuousClock.Instant
    private let usages = Lock<[String: Usage]>([:])

    /// The number of readers above which those without an open request are forgotten after their minute.
    private static let mostReaders = 10_000

    init(_ quota: ReaderQuota, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.quota, self.now) = (quota, now)
    }

    /// Counts a request.
    ///
    /// - Throws: `RecordDatabaseError` with the code `tooManyRequests` and the time to wait.
    func begin(of reader: String) throws {
        try change(reader) { usage in
            if usage.examined > quota.examinedPerMinute { return "its queries examine too many records" }
            if usage.records > quota.recordsPerMinute { return "it asks for too many records" }
            if usage.bytes > quota.bytesPerMinute { return "it sends or asks for too many bytes" }
            if usage.requests >= quota.requestsPerMinute {
                return "it sends more than \(quota.requestsPerMinute) a minute"
            }
            usage.requests += 1
            return nil
        }
    }

    func add(examined: Int = 0, records: Int = 0, bytes: Int = 0, of reader: String) {
        try? change(reader) { usage in
            usage.examined += examined
            usage.records += records
            usage.bytes += bytes
            return nil
        }
    }

    /// Whether old records of a reader are to be removed now: once a minute.
    func beginsRemoval(of reader: String) -> Bool {
        var isFirst = false
        try? change(reader) { usage in
            isFirst = !usage.hasRemoved
            usage.hasRemoved = true
            return nil
        }
        return isFirst
    }

    /// Counts the bytes of a body, from their arrival until the result is released.
    func beginBody(of reader: String) -> OpenBody { OpenBody(usage: self, reader: reader) }

    /// The body of a request, which is in memory: the client may send a part of it and be silent.
    final class OpenBody: Sendable {
        private let usage: ReaderUsage
        private let reader: String
        private let size = Lock(0)

        init(usage: ReaderUsage, reader: String) { (self.usage, self.reader) = (usage, reader) }

        deinit {
            let size = size.withLock { $0 }
            try? usage.change(reader) {
                $0.openBytes -= size
                return nil
            }
        }

        /// Counts bytes that have arrived.
        func add(_ count: Int) throws {
            size.withLock { $0 += count }
            let limit = usage.quota.openBytes
            try usage.change(reader) {
                $0.bytes += count
                $0.openBytes += count
                return $0.openBytes > limit ? "its requests at the same time have more than \(limit) bytes" : nil
            }
        }
    }

    /// Counts a request that waits until ``endWait(of:)``.
    func beginWait(of reader: String) throws {
        try change(reader) { usage in
            if usage.waits >= quota.waits { return "\(quota.waits) of its requests wait for changes" }
            usage.waits += 1
            return nil
        }
    }

    func endWait(of reader: String) {
        try? change(reader) {
            $0.waits -= 1
            return nil
        }
    }

    /// Counts a list that is sent until the result is released.
    func beginList(of reader: String) throws -> OpenList {
        try change(reader) { usage in
            if usage.lists >= quota.lists { return "\(quota.lists) of its lists are being sent" }
            usage.lists += 1
            return nil
        }
        return OpenList(usage: self, reader: reader)
    }

    /// A list that is being sent: a body may be released before its end.
    final class OpenList: Sendable {
        private let usage: ReaderUsage
        private let reader: String

        init(usage: ReaderUsage, reader: String) { (self.usage, self.reader) = (usage, reader) }

        deinit {
            try? usage.change(reader) {
                $0.lists -= 1
                return nil
            }
        }
    }

    /// Changes the usage of a reader; the closure returns why it must not.
    private func change(_ reader: String, _ body: (inout Usage) -> String?) throws {
        let now = now()
        let refusal = usages.withLock { usages -> (reason: String, pause: Duration)? in
            if usages.count > Self.mostReaders {
                usages = usages.filter { _, usage in
                    usage.waits > 0 || usage.lists > 0 || usage.openBytes > 0
                        || usage.minute.advanced(by: .seconds(60)) > now
                }
            }
            var usage = usages[reader] ?? Usage(minute: now)
            if usage.minute.advanced(by: .seconds(60)) <= now {
                usage = Usage(minute: now, openBytes: usage.openBytes, waits: usage.waits, lists: usage.lists)
            }
            let reason = body(&usage)
            usages[reader] = usage
            return reason.map { ($0, now.duration(to: usage.minute.advanced(by: .seconds(60)))) }
        }
        guard let refusal else { return }
        var error = RecordDatabaseError(.tooManyRequests, reason: refusal.reason)
        error.retryAfter = refusal.pause
        throw error
    }
}
