import Foundation
import NestedRecords
import Testing

@Suite struct LibraryTypeRoundTripTests {
    static let standard: [RoundTripCase] = [
        RoundTripCase("Range") { 1..<5 },
        RoundTripCase("ClosedRange") { 0.5...1.5 },
        RoundTripCase("PartialRangeFrom") { Text(1...) },
        RoundTripCase("CollectionDifference") { [1, 2, 3].difference(from: [3, 4]) },
        RoundTripCase("SIMD") { SIMD4<Float>(1, 2, 3, 4) },
        RoundTripCase("short Duration") { Duration.milliseconds(1_500) },
    ]

    // Their own form has an integer beyond Int64, so they cannot be handed an encoder, as the other positions do.
    static let durations: [RoundTripCase] = [
        RoundTripCase("Duration of ten seconds") { Duration.seconds(10) },
        RoundTripCase("negative Duration") { Duration.seconds(-1) },
        RoundTripCase("longest Duration") { Duration(secondsComponent: .max, attosecondsComponent: 999_999) },
    ]

    @Test(
        arguments: durations, RoundTripPosition.allCases.filter { ![.record, .childRecord, .underSuper].contains($0) })
    func durationsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    static let foundation: [RoundTripCase] = [
        RoundTripCase("CGPoint") { CGPoint(x: 1.5, y: -2) },
        RoundTripCase("CGRect") { CGRect(x: 1, y: 2, width: 3, height: 4) },
        RoundTripCase("DateInterval") { DateInterval(start: Date(timeIntervalSince1970: 0), duration: 5.5) },
        RoundTripCase("DateComponents") { DateComponents(calendar: nil, year: 2_001, month: 2, day: 3) },
        RoundTripCase("IndexPath") { IndexPath(indexes: [1, 2, 3]) },
        RoundTripCase("IndexSet") { IndexSet([1, 2, 3, 9]) },
        RoundTripCase("TimeZone") { try #require(TimeZone(identifier: "Europe/Amsterdam")) },
        RoundTripCase("Locale") { Locale(identifier: "nl_NL") },
        RoundTripCase("URLComponents") { try #require(URLComponents(string: "https://example.org:8080/a?b=c#d")) },
        RoundTripCase("Measurement") { Measurement(value: 1.5, unit: UnitLength.kilometers) },
        RoundTripCase("PersonNameComponents") { PersonNameComponents(givenName: "A", familyName: "B") },
        RoundTripCase("Calendar", isLossy: true) { Calendar(identifier: .gregorian) },
        RoundTripCase("CharacterSet") { CharacterSet(charactersIn: "abc") },
    ]

    @Test(arguments: standard, RoundTripPosition.allCases)
    func standardTypesComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @Test(arguments: foundation, RoundTripPosition.allCases)
    func foundationTypesComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }
}

/// A value that is compared by its description.
private struct Text<Value: Codable>: Codable, Equatable {
    var value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Self, right: Self) -> Bool { "\(left.value)" == "\(right.value)" }
}
