import Logging
import Metrics
@_spi(Engines) import NestedRecords

/// The logger of the request that is being answered, with its ID and user; nil in streams, which outlast the handlers.
enum RequestLog {
    @TaskLocal static var logger: Logger?
}

/// A database with a queue of commits, with a cache if there is to be one, measured and logged.
func servedDatabase(_ base: any RecordDatabase, _ limits: Limits, _ logger: Logger) throws -> any RecordDatabase {
    let queue = QueuedRecordDatabase(
        base, maximumRunning: limits.runningCommits, maximumWaiting: limits.waitingCommits)
    let cache = limits.cachedRecords > 0 ? try CachedRecordDatabase(queue, maximumCount: limits.cachedRecords) : nil
    // First of all: its times have the wait in the queue, and its failures the refusals.
    return MonitoredRecordDatabase(cache ?? queue as any RecordDatabase) { call in
        Gauge(label: "records.queue.running").record(queue.runningCount)
        Gauge(label: "records.queue.waiting").record(queue.waitingCount)
        if let cache { Gauge(label: "records.cache.hit_rate").record(cache.hitRate) }
        call.measure()
        call.log(to: RequestLog.logger ?? logger)
    }
}

extension MonitoredRecordDatabase.Call {
    /// `ok`, or the kind of the failure; a few values, as a label needs.
    private var outcome: String {
        guard let failure else { return "ok" }
        if failure is CancellationError { return "cancelled" }
        return (failure as? RecordDatabaseError)?.code.rawValue ?? ErrorKind(of: failure)?.rawValue ?? "failed"
    }

    /// Whether the database, not the request, is the cause of the failure.
    private var isFault: Bool {
        guard let failure, !(failure is CancellationError) else { return false }
        return switch ErrorKind(of: failure) {
        case .unavailable, .damaged, nil: true
        default: false
        }
    }

    fileprivate func measure() {
        let labels = [("call", function), ("outcome", outcome)]
        Timer(label: "records.call.duration", dimensions: labels).record(duration: duration)
        Counter(label: "records.call.records", dimensions: [("call", function)]).increment(by: count)
    }

    /// Writes a line with the metadata of the request: a warning for a fault and for a call that took a second.
    fileprivate func log(to logger: Logger) {
        let isSlow = duration > .seconds(1) && function != "wait"
        logger.log(
            level: isFault || isSlow ? .warning : .debug, "database",
            metadata: [
                "call": "\(function)", "count": "\(count)", "duration": "\(duration)", "outcome": "\(outcome)",
            ])
    }
}
