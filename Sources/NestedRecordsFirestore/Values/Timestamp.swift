import Foundation
import NestedRecords

/// Dates as Firestore has them: of the years 1 to 9999, with microseconds.
enum Timestamp {
    /// The text of the timestamp that is nearest to a date: the first or the last one for a date of another year.
    static func text(of date: Date) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite else { return interval == .infinity ? last : first }
        var whole = interval.rounded(.down)
        var microseconds = Int(((interval - whole) * 1e6).rounded())
        if microseconds == 1_000_000 { (whole, microseconds) = (whole + 1, 0) }
        // Adding zero makes 0 of -0, which has no such form.
        guard let text = Date(timeIntervalSinceReferenceDate: whole + 0).recordString,
            !text.utf8.starts(with: "0000".utf8)
        else {
            return interval < 0 ? first : last
        }
        if microseconds == 0 { return text }
        let digits = String(microseconds)
        return text.dropLast() + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
    }

    private static let first = "0001-01-01T00:00:00Z"
    private static let last = "9999-12-31T23:59:59.999999Z"

    /// The date of a timestamp; nil for other strings.
    static func date(_ text: String) -> Date? { Date(recordString: text) }

    /// Whether a string may be the time of an update, which a request may name: it has microseconds at most.
    static func isUpdateTime(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "Z"), date(text) != nil else { return false }
        let fraction = text.utf8.split(separator: UInt8(ascii: ".")).dropFirst().first
        return (fraction?.count ?? 0) <= 7
    }
}
