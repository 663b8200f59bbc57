import Foundation
import NestedRecords
import Testing

@Suite struct DateTextTests {
    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"), (3_384_306.789, "2001-02-09T04:05:06.789Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"),
    ])
    func dateHasATextThatReadsBack(interval: Double, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: interval)
        #expect(date.recordString == text)
        #expect(Date(recordString: text) == date)
    }

    @Test(arguments: [1e300, -1e12, .nan, .infinity, .leastNonzeroMagnitude])
    func dateThatNoStringRepresentsExactlyHasNone(interval: Double) {
        #expect(Date(timeIntervalSinceReferenceDate: interval).recordString == nil)
    }

    @Test(arguments: ["", "2001-02-30T00:00:00Z", "2001-02-03", "2001-02-03T04:05:06"])
    func otherStringIsNotADate(text: String) {
        #expect(Date(recordString: text) == nil)
    }
}
