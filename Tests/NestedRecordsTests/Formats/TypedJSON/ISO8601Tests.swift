import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ISO8601Tests {
    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (-978_307_201, "1969-12-31T23:59:59Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.5, "2000-12-31T23:59:59.5Z"),
            (0.001, "2001-01-01T00:00:00.001Z"), (1e-9, "2001-01-01T00:00:00.000000001Z"),
            (-26_438_400, "2000-03-01T00:00:00Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"), (252_423_993_599.75, "9999-12-31T23:59:59.75Z"),
            // The Julian calendar has no place here.
            (-13_197_600_000, "1582-10-15T00:00:00Z"), (-13_198_464_000, "1582-10-05T00:00:00Z"),
        ] as [(Double, String)])
    func textOfADateIsReadBack(_ interval: Double, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: interval)
        #expect(ISO8601.text(of: date) == text)
        #expect(ISO8601.date(from: text) == date)
    }

    @Test(arguments: [
        -63_145_526_400.5, 252_423_993_600, 1e12, -1e12, 1e17, -1e18, 1e300, .infinity, -.infinity, .nan, -0.0,
    ])
    func dateBeyondTheYears0To9999AndMinusZeroHaveNoText(_ interval: Double) {
        #expect(ISO8601.text(of: Date(timeIntervalSinceReferenceDate: interval)) == nil)
    }

    @Test(arguments: [.leastNonzeroMagnitude, 1e-20, -1e-20, 0.1.nextUp, 726_000_000.123_456_7, -726_000_000.000_000_1])
    func dateHasATextThatReadsBackOrNone(_ interval: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: interval)
        if let text = ISO8601.text(of: date) { #expect(ISO8601.date(from: text) == date) }
    }

    @Test func everyDayOfTenThousandYearsFollowsTheDayBefore() throws {
        // Every 97th or 997th day, and those after it, so that all days of the year and all kinds of years are met.
        for start in stride(from: -730_851, through: 2_921_574, by: Sweep.isWhole ? 97 : 997) {
            let texts = (0..<3).compactMap { ISO8601.text(of: day(start + $0)) }
            try #require(texts.count == 3)
            #expect(texts == texts.sorted())
            #expect(texts.map(ISO8601.date) == (0..<3).map { day(start + $0) })
        }
    }

    private func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

    @Test func textsAreFoundationsFrom1900To2100() throws {
        let style = Date.ISO8601FormatStyle()
        var random = SplitMix64(seed: 8601)
        for _ in 0..<Sweep.count(500, whole: 5_000) {
            let seconds = Double(Int64.random(in: -3_187_296_000..<3_155_760_000, using: &random))
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let text = date.formatted(style)
            #expect(ISO8601.text(of: date) == text)
            #expect(try ISO8601.date(from: text) == style.parse(text))
        }
    }

    @Test(
        arguments: [
            ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T20:30:00-03:30", 0), ("2001-01-01t00:00:00z", 0),
            ("2001-01-01 00:00:00Z", 0), ("2001-01-01T00:00:00-00:00", 0), ("2001-01-01T00:00:00+00:00", 0),
            ("2001-01-01T23:59:00+23:59", 0), ("2001-01-01T00:00:00.000Z", 0), ("2001-01-01T00:00:00.50000Z", 0.5),
            ("2001-01-01T00:00:00.25+00:01", -59.75), ("0000-01-01T00:00:00+01:00", -63_145_530_000),
            ("9999-12-31T23:59:59-01:00", 252_423_997_199), ("1600-02-29T00:00:00Z", -12_649_305_600),
            ("2001-01-01T00:00:00.00000000000000000000000000000000000000001Z", 1e-41),
        ] as [(String, Double)])
    func otherFormsAreRead(_ text: String, interval: Double) {
        #expect(ISO8601.date(from: text)?.timeIntervalSinceReferenceDate == interval)
    }

    @Test(arguments: [
        "", "Z", "2001", "2001-01-01", "2001-01-01T", "2001-01-01T00:00:00", "2001-01-01T00:00Z", "2001-01-01T00Z",
        "20010101T000000Z", "2001-1-1T0:0:0Z", "01-01-01T00:00:00Z", "+2001-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
        "12001-01-01T00:00:00Z", "2001-00-01T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-00T00:00:00Z",
        "2001-01-32T00:00:00Z", "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2001-04-31T00:00:00Z",
        "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z",
        "2001-01-01T00:00:00,5Z", "2001-01-01T00:00:00.-5Z", "2001-01-01T00:00:00.5e3Z", "2001-01-01T00:00:00ZZ",
        "2001-01-01T00:00:00Z ", " 2001-01-01T00:00:00Z", "2001-01-01T00:00:00+0200", "2001-01-01T00:00:00+02",
        "2001-01-01T00:00:00+24:00", "2001-01-01T00:00:00+02:60", "2001-01-01T00:00:00±02:00", "2001-01-01T00:00:00UTC",
        "2001-01-01TT00:00:00Z", "２００１-01-01T00:00:00Z", "2001-01-01T00:00:00Z\0", "2001/01/01T00:00:00Z",
    ])
    func otherStringsAreNotDates(_ text: String) {
        #expect(ISO8601.date(from: text) == nil)
    }

    @Test func noMissingOrChangedByteTraps() {
        let text = Array("2001-02-03T04:05:06.789+01:30".utf8)
        var random = SplitMix64(seed: 1)
        for _ in 0..<Sweep.count(500, whole: 5_000) {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: bytes.indices, using: &random)
                if random.chance(oneIn: 2) { bytes.remove(at: position) } else { bytes[position] = random.pick(text) }
            }
            guard let date = ISO8601.date(from: String(decoding: bytes, as: UTF8.self)) else { continue }
            // What is read has a text, or lies beyond the years that have one.
            #expect(ISO8601.text(of: date).flatMap(ISO8601.date) ?? date == date)
        }
    }
}
