#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the records of a query are grouped by: the values of a field, or the parts of a calendar that its dates are in.
///
/// ```swift
/// let query = RecordQuery("Task")
/// let byOwner = try await database.summaries(of: query, field: nil, groupedBy: "owner")
/// let byMonth = try await database.summaries(
///     of: query, field: nil, groupedBy: RecordGrouping("due", .month, in: .current))
/// ```
public struct RecordGrouping: Sendable, Hashable {
    /// A part of the ISO calendar, whose weeks begin on Mondays.
    ///
    /// The days before 15 October 1582 are those of the Julian calendar, as for Foundation's `Calendar`.
    public enum DatePart: String, Sendable, Hashable, CaseIterable {
        /// A year.
        case year

        /// Three months, from the beginning of January, April, July or October on.
        case quarter

        /// A month.
        case month

        /// Seven days, from a Monday on.
        case week

        /// A day.
        case day

        /// An hour.
        case hour
    }

    /// The field.
    public let path: FieldPath

    /// The part of a date; nil to group by the values themselves.
    public let part: DatePart?

    /// The time zone of the part; without a part it has no effect.
    public let zone: TimeZone

    /// Groups by the values of a field.
    public init(_ path: FieldPath) { (self.path, part, zone) = (path, nil, .gmt) }

    /// Groups by parts of the dates in a field.
    ///
    /// The value of a group is the date at which the part begins. Another value than a date is an error, and so is a date
    /// before `Date.distantPast` or after the year 9999.
    ///
    /// - Parameters:
    ///   - path: The field.
    ///   - part: The part.
    ///   - zone: The time zone, which a service knows by its identifier.
    public init(_ path: FieldPath, _ part: DatePart, in zone: TimeZone) {
        (self.path, self.part, self.zone) = (path, part, zone)
    }
}

extension RecordGrouping: ExpressibleByStringLiteral {
    /// Groups by the values of a field, whose path has its names separated by full stops.
    public init(stringLiteral text: String) { self.init(FieldPath(stringLiteral: text)) }
}
