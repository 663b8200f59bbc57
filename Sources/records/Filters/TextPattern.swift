import Foundation
import NestedRecords

/// A regular expression of a filter, in the syntax of `NSRegularExpression`.
///
/// A hostile pattern is an error and not a long wait: a pattern has at most ``longest`` bytes, and the search in one value
/// ends with an error after about two million steps.
struct TextPattern: Hashable, Sendable {
    /// The maximum number of bytes of a pattern.
    static let longest = 1_000

    /// The maximum number of reports of a search, which come at each character and after about 10,000 steps.
    ///
    /// - Parameter count: The number of characters of the value.
    private static func mostReports(_ count: Int) -> Int { 200 + count }

    let text: String
    private let expression: NSRegularExpression

    /// Reads a pattern; the result is nil if it is not valid.
    init?(_ text: String) {
        guard !text.isEmpty, let expression = try? NSRegularExpression(pattern: text) else { return nil }
        (self.text, self.expression) = (text, expression)
    }

    static func == (left: TextPattern, right: TextPattern) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }

    /// Whether a value, or an element of a list, is a string with a part that the pattern matches.
    ///
    /// - Throws: `UsageError` for a search with too many steps.
    func matches(_ value: Record.Value) throws -> Bool {
        switch value {
        case .string(let string): try matches(string)
        case .list(let values):
            try values.contains { if case .string(let string) = $0 { try matches(string) } else { false } }
        default: false
        }
    }

    private func matches(_ string: String) throws -> Bool {
        var (isFound, reportCount) = (false, 0)
        let mostReports = Self.mostReports(string.utf16.count)
        expression.enumerateMatches(
            in: string, options: [.reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: string.utf16.count)
        ) { result, flags, stop in
            if result != nil { isFound = true }
            reportCount = flags.contains(.internalError) ? .max : min(reportCount, .max - 1) + 1
            if isFound || reportCount > mostReports { stop.pointee = true }
        }
        guard isFound || reportCount <= mostReports else {
            throw UsageError(
                "the pattern '\(text.shortened)' needs too many steps for a value of \(string.utf16.count.grouped) "
                    + "characters; choose a simpler pattern")
        }
        return isFound
    }
}
