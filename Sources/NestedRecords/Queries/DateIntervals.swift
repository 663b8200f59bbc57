#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The intervals of a calendar that dates are in.
struct DateIntervals: Sendable {
    private let part: RecordGrouping.DatePart
    private let calendar: Calendar

    /// Some intervals of dates, in ascending order.
    private var known: [DateInterval] = []

    /// The distance from both ends of an interval within which the calendar is asked, more than any change of clocks.
    private static let margin: TimeInterval = 2 * 86_400

    private static let accepted = Date.distantPast..<Date(timeIntervalSinceReferenceDate: 252_423_993_600)

    /// - Returns: Nil if the grouping is by values.
    init?(_ grouping: RecordGrouping) {
        guard let part = grouping.part else { return nil }
        self.part = part
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = grouping.zone
        self.calendar = calendar
    }

    /// The date at which the interval of a date begins.
    ///
    /// - Throws: ``RecordError`` with the code `invalidSummary` if the value is not a date, or is too far away.
    mutating func start(of value: Record.Value, at path: FieldPath) throws(RecordError) -> Record.Value {
        guard case .date(let date) = value else {
            throw RecordError(
                .invalidSummary, reason: "'\(path)' has \(value.kind.name), which is in no \(part.rawValue)")
        }
        guard Self.accepted.contains(date) else {
            throw RecordError(.invalidSummary, reason: "'\(path)' has a date outside of the years 1 to 9999")
        }
        guard let interval = interval(of: date) else {
            throw RecordError(.invalidSummary, reason: "'\(path)' has a date that the calendar does not have")
        }
        return .date(interval.start)
    }

    /// The interval of a date, which is known if another date far from its ends was asked for.
    ///
    /// Near some changes of clocks, Foundation's intervals overlap: there each date is asked for, which takes 3 µs.
    private mutating func interval(of date: Date) -> DateInterval? {
        var range = 0..<known.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = known[middle].start <= date ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        let position = range.lowerBound
        if position > 0, known[position - 1].isFarFromItsEnds(date, Self.margin) { return known[position - 1] }
        let found = calendarInterval(of: date)
        if let found, found.isFarFromItsEnds(date, Self.margin) { known.insert(found, at: position) }
        return found
    }

    private func calendarInterval(of date: Date) -> DateInterval? {
        switch part {
        case .year: calendar.dateInterval(of: .year, for: date)
        case .quarter: calendar.dateInterval(of: .quarter, for: date)
        case .month: calendar.dateInterval(of: .month, for: date)
        case .week: week(of: date)
        case .day: calendar.dateInterval(of: .day, for: date)
        case .hour: calendar.dateInterval(of: .hour, for: date)
        }
    }

    /// The days from a Monday to the next: near some changes of clocks, Foundation finds no interval of a week.
    private func week(of date: Date) -> DateInterval? {
        // Sunday is 1.
        let passed = (calendar.component(.weekday, from: date) + 5) % 7
        func day(after count: Int) -> Date? {
            guard let today = calendar.dateInterval(of: .day, for: date) else { return nil }
            let noon = today.start.addingTimeInterval(12 * 3_600)
            return calendar.date(byAdding: .day, value: count, to: noon).map { calendar.startOfDay(for: $0) }
        }
        guard let monday = day(after: -passed), let next = day(after: 7 - passed), monday < next else { return nil }
        return DateInterval(start: monday, end: next)
    }
}

extension DateInterval {
    fileprivate func isFarFromItsEnds(_ date: Date, _ margin: TimeInterval) -> Bool {
        date >= start + margin && date < end - margin
    }
}
