/// The line that a progress bar shows.
struct ProgressText {
    private static let barWidth = 10

    let title: String
    let unit: String
    var count = 0
    var total: Int?

    /// The completed fraction, 0 to 1, if only that is known.
    var part: Double?

    /// The time since the start.
    var time = Duration.zero

    /// The line: the count, the total, the speed, and the remaining time.
    var line: String {
        var parts = [title]
        let part = total.map { $0 > 0 ? Double(count) / Double($0) : nil } ?? part
        if let part {
            let part = min(1, max(0, part))
            let done = Int(part * Double(Self.barWidth))
            let bar = String(repeating: "━", count: done) + String(repeating: "╌", count: Self.barWidth - done)
            parts.append("\(bar) \(Int(part * 100))%")
        }
        parts.append("\(count.grouped)\(total.map { $0 > 0 ? " of \($0.grouped)" : "" } ?? "") \(unit)")
        let seconds = time / .seconds(1)
        if seconds > 0, count > 0 {
            let rate = Double(count) / seconds
            parts.append("\((Int(exactly: rate.rounded()) ?? .max).grouped)/s")
            if let part, part > 0, part < 1, let left = Int(exactly: (seconds * (1 - part) / part).rounded(.up)) {
                parts.append("\(Self.clock(left)) left")
            }
        }
        return parts.joined(separator: "  ")
    }

    private static func clock(_ seconds: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(padded(minutes)):\(padded(seconds % 60))" : "\(minutes):\(padded(seconds % 60))"
    }
}
