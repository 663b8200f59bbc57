import NestedRecords

/// The progress of long work on standard error; without a terminal only if requested.
final class ProgressBar: Sendable {
    /// The time before the bar is shown.
    private static let delay = Duration.milliseconds(300)
    private static let interval = Duration.milliseconds(100)

    private let text: ProgressText
    private let part: @Sendable () -> Double?
    private let statusLine: StatusLine
    private let printsLines: Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let state: Lock<State>

    private struct State {
        var count = 0
        var nextDrawing: ContinuousClock.Instant
    }

    /// Starts a progress bar.
    ///
    /// - Parameters:
    ///   - title: The name of the work, such as "Reading".
    ///   - part: The completed fraction, 0 to 1, if only that is known.
    ///   - printsLines: Whether to print a line every second without a terminal.
    init(
        _ title: String, unit: String = "records", total: Int? = nil,
        part: @escaping @Sendable () -> Double? = { nil }, on statusLine: StatusLine, printsLines: Bool = false,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        text = ProgressText(title: title, unit: unit, total: total)
        (self.part, self.statusLine, self.printsLines, self.now) = (part, statusLine, printsLines, now)
        start = now()
        state = Lock(State(nextDrawing: start + Self.delay))
    }

    /// Adds to the count, and updates the line from time to time.
    func advance(by count: Int = 1) {
        let isDrawn = statusLine.terminal.isTerminal
        guard isDrawn || printsLines else { return }
        state.withLock { state in
            let (sum, overflows) = state.count.addingReportingOverflow(count)
            state.count = overflows ? .max : sum
            let now = now()
            guard now >= state.nextDrawing else { return }
            state.nextDrawing = now + (isDrawn ? Self.interval : .seconds(1))
            var text = text
            (text.count, text.part, text.time) = (state.count, part(), now - start)
            if isDrawn { statusLine.draw(text.line) } else { statusLine.print(text.line) }
        }
    }

    /// Removes the line.
    func finish() { statusLine.clear() }
}
