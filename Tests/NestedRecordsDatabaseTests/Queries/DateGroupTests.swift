import Foundation
import TestSupport
import Testing

@testable import NestedRecords

/// Groups of dates, compared with the components of Foundation's calendar.
@Suite struct DateGroupTests {
    /// Offsets of a part of an hour, clocks that change at midnight or by half an hour, and a skipped day.
    private static let zones = [
        "GMT", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns",
        "Pacific/Apia", "Asia/Pyongyang", "Europe/Amsterdam",
    ]

    private func calendar(in zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    /// Dates from 1880 to 2100, half of them near changes of the clocks, at midnight and at ends of months.
    private func dates(in calendar: Calendar, _ count: Int) -> [Date] {
        var random = SplitMix64(seed: Sweep.seed)
        return (0..<count).map { number in
            let date = Date(timeIntervalSince1970: .random(in: -2.84e9...4.1e9, using: &random))
            let near: Date? =
                switch number % 6 {
                case 0: calendar.timeZone.nextDaylightSavingTimeTransition(after: date)
                case 1: calendar.startOfDay(for: date)
                case 2: calendar.dateInterval(of: .month, for: date)?.end
                default: date
                }
            return (near ?? date).addingTimeInterval(number % 6 > 2 ? 0 : .random(in: -7_200...7_200, using: &random))
        }
    }

    private func groups(of dates: [Date], by part: RecordGrouping.DatePart, in zone: TimeZone) throws -> [Date: Int] {
        var builder = SummaryBuilder(of: nil, groupedBy: RecordGrouping("date", part, in: zone))
        for date in dates { try builder.add(group: .date(date), field: nil) }
        return try Dictionary(
            uniqueKeysWithValues: builder.summaries.map { summary in
                guard case .date(let start)? = summary.group else { throw CancellationError() }
                return (start, summary.count)
            })
    }

    /// What all dates of a part have in common.
    private func components(of date: Date, _ part: RecordGrouping.DatePart, _ calendar: Calendar) -> [Int?] {
        let all = calendar.dateComponents([.year, .month, .day, .yearForWeekOfYear, .weekOfYear], from: date)
        return switch part {
        case .year: [all.year]
        case .quarter: [all.year, all.month.map { ($0 - 1) / 3 }]
        case .month: [all.year, all.month]
        case .week: [all.yearForWeekOfYear, all.weekOfYear]
        case .day, .hour: [all.year, all.month, all.day]
        }
    }

    // In St. John's, clocks went back from a minute after midnight: a day had two parts.
    @Test(arguments: zones.filter { $0 != "America/St_Johns" })
    func datesWithTheSameComponentsAreOneGroup(_ zone: String) throws {
        let calendar = try calendar(in: zone)
        let dates = dates(in: calendar, Sweep.count(2_000, whole: 50_000))
        for part in RecordGrouping.DatePart.allCases where part != .hour {
            let groups = try groups(of: dates, by: part, in: calendar.timeZone)
            let expected = Dictionary(grouping: dates) { components(of: $0, part, calendar) }
            #expect(groups.count == expected.count, "\(zone), \(part)")
            for (start, count) in groups {
                let own = components(of: start, part, calendar)
                #expect(expected[own]?.count == count, "\(zone), \(part), \(start)")
                // The group begins here, and not within a part.
                #expect(components(of: start.addingTimeInterval(-0.001), part, calendar) != own, "\(zone), \(part)")
            }
        }
    }

    @Test(arguments: zones) func groupOfADateDoesNotDependOnOtherDates(_ zone: String) throws {
        let calendar = try calendar(in: zone)
        let dates = dates(in: calendar, Sweep.count(1_000, whole: 20_000))
        for part in RecordGrouping.DatePart.allCases {
            var expected: [Date: Int] = [:]
            for date in dates {
                for start in try groups(of: [date], by: part, in: calendar.timeZone).keys {
                    expected[start, default: 0] += 1
                }
            }
            for dates in [dates, dates.reversed()] {
                #expect(try groups(of: dates, by: part, in: calendar.timeZone) == expected, "\(zone), \(part)")
            }
        }
    }

    @Test(arguments: zones) func groupBeginsWhereTheCalendarsIntervalDoes(_ zone: String) throws {
        let calendar = try calendar(in: zone)
        let dates = dates(in: calendar, Sweep.count(1_000, whole: 20_000))
        for (part, component) in [
            (.hour, .hour), (.day, .day), (.week, .weekOfYear), (.month, .month), (.quarter, .quarter), (.year, .year),
        ] as [(RecordGrouping.DatePart, Calendar.Component)] {
            for date in dates {
                // Foundation finds no interval of some weeks.
                guard let interval = calendar.dateInterval(of: component, for: date) else { continue }
                let group = try groups(of: [date], by: part, in: calendar.timeZone)
                #expect(group == [interval.start: 1], "\(zone), \(part), \(date)")
            }
        }
    }

    /// The intervals that were found before must not decide.
    @Test(arguments: ["Australia/Lord_Howe", "Europe/Amsterdam"])
    func groupsDoNotDependOnTheOrderOfTheDates(_ zone: String) throws {
        let calendar = try calendar(in: zone)
        let dates = dates(in: calendar, 3_000)
        for part in RecordGrouping.DatePart.allCases {
            let whole = try groups(of: dates, by: part, in: calendar.timeZone)
            #expect(try groups(of: dates.reversed(), by: part, in: calendar.timeZone) == whole)
            #expect(try groups(of: dates.sorted(), by: part, in: calendar.timeZone) == whole)
        }
    }

    @Test(arguments: [.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 252_423_993_599)] as [Date])
    func farDatesHaveGroups(_ date: Date) throws {
        for part in RecordGrouping.DatePart.allCases {
            let start = try #require(try groups(of: [date], by: part, in: .gmt).keys.first)
            #expect(start <= date && date.timeIntervalSince(start) < 367 * 86_400)
        }
    }

    @Test(
        arguments: [
            "2024-03-31", 711_849_600, .list([]), .map([:]), true, .serverTimestamp,
            .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .date(Date(timeIntervalSinceReferenceDate: -.infinity)),
            .date(Date(timeIntervalSinceReferenceDate: 252_423_993_600)),
            .date(Date(timeIntervalSinceReferenceDate: 1e300)), .date(.distantPast.addingTimeInterval(-1)),
        ] as [Record.Value])
    func whatHasNoPartOfTheCalendarIsAnError(_ value: Record.Value) throws {
        for part in RecordGrouping.DatePart.allCases {
            var builder = SummaryBuilder(of: nil, groupedBy: RecordGrouping("date", part, in: .gmt))
            let error = #expect(throws: RecordError.self) { try builder.add(group: value, field: nil) }
            #expect(error?.code == .invalidSummary)
        }
    }

    @Test func nilIsTheFirstGroupOfAStore() async throws {
        struct Task: RecordCodable, Identifiable {
            var id: Int
            var due: Date?
            var start: Date
            var hours: Int
        }
        let store = RecordStore(InMemoryRecordDatabase())
        let march = try Date("2024-03-31T12:00:00Z", strategy: .iso8601)
        try await store.insert([
            Task(id: 1, due: march, start: march, hours: 2), Task(id: 2, start: march, hours: 3),
            Task(id: 3, due: march.addingTimeInterval(60), start: march.addingTimeInterval(86_400), hours: 4),
        ])
        let months = store.query(Task.self).grouped(by: .month, in: .gmt) { $0.due }
        let start = try Date("2024-03-01T00:00:00Z", strategy: .iso8601)
        #expect(try await months.count().map(\.key) == [nil, start])
        #expect(try await months.sum { $0.hours }.map(\.value) == [3, 6])
        let starts = store.query(Task.self).grouped(by: .month, in: .gmt) { $0.start }
        #expect(
            try await starts.count().map(\.key) == [start, try Date("2024-04-01T00:00:00Z", strategy: .iso8601)])
    }
}
