public import Metrics
import Synchronization

/// Collects metrics, and writes them in the text form of Prometheus: totals, present values, and durations in seconds.
///
/// ```swift
/// MetricsSystem.bootstrap(TextMetrics())
/// ```
public final class TextMetrics: MetricsFactory {
    /// A metric: its name, and its labels as text.
    private struct Key: Hashable {
        var name: String
        var labels: String
    }

    private let series = Mutex<[Key: Series]>([:])

    /// Makes a collection without metrics.
    public init() {}

    /// The present values, one in a line.
    var text: String {
        let lines = series.withLock { series in
            series.flatMap { key, series in
                series.values.map { suffix, value in "\(key.name)\(suffix)\(key.labels) \(value)\n" }
            }
        }
        return lines.sorted().joined()
    }

    private func series(_ label: String, _ labels: [(String, String)], _ form: Series.Form) -> Series {
        let texts = labels.map { name, value in
            let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name.replacing(".", with: "_"))=\"\(value)\""
        }
        let key = Key(
            name: label.replacing(".", with: "_"), labels: texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}")
        return series.withLock { series in
            let found = series[key] ?? Series(form)
            series[key] = found
            return found
        }
    }
}

extension TextMetrics {
    /// Makes a total.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .total)
    }

    /// Makes a present value, or the number and sum of values.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { series(label, dimensions, aggregate ? .distribution : .present) }

    /// Makes the number and sum of durations.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .durations)
    }

    /// Makes a present value that goes up and down.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .present)
    }

    /// Does nothing: a metric keeps its total.
    public func destroyMeter(_ handler: any MeterHandler) {}

    /// Does nothing: a metric keeps its total.
    public func destroyCounter(_ handler: any CounterHandler) {}

    /// Does nothing: a metric keeps its total.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Does nothing: a metric keeps its total.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// The values of one metric.
private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Form {
        case total
        case present
        case distribution
        case durations
    }

    private let form: Form
    private let state = Mutex((count: 0, sum: 0.0))

    init(_ form: Form) { self.form = form }

    /// The values with the ends of their names.
    var values: [(suffix: String, value: Double)] {
        let (count, sum) = state.withLock { $0 }
        return switch form {
        case .total: [("_total", sum)]
        case .present: [("", sum)]
        case .distribution: [("_count", Double(count)), ("_sum", sum)]
        case .durations: [("_seconds_count", Double(count)), ("_seconds_sum", sum)]
        }
    }

    func record(_ value: Double) {
        state.withLock { $0 = form == .present ? (1, value) : ($0.count + 1, $0.sum + value) }
    }

    func record(_ value: Int64) { record(Double(value)) }
    func set(_ value: Double) { record(value) }
    func set(_ value: Int64) { record(value) }
    func increment(by amount: Double) { state.withLock { $0.sum += amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func increment(by amount: Int64) { record(Double(amount)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func reset() { state.withLock { $0 = (0, 0) } }
}
