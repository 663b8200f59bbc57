import Foundation
import NestedRecords
import Testing

/// Wrappers as values of their own, in all coders and places.
@Suite struct WrapperRoundTripTests {
    struct Target: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
    }

    struct Size: Codable, Equatable {
        @ExplicitNull var width: Int?
        @RecordName var name: String
        var link: RecordLink<Target>?
        var metadata: Record.Metadata?
    }

    static let cases = [
        RoundTripCase("a timestamp") { ServerTimestamp(wrappedValue: Date(timeIntervalSinceReferenceDate: 1)) },
        RoundTripCase("a number or null") { ExplicitNull(wrappedValue: 1) },
        RoundTripCase("null", isLossy: true) { ExplicitNull<Int>(wrappedValue: nil) },
        RoundTripCase("null for an object", isLossy: true) { ExplicitNull<Size>(wrappedValue: nil) },
        RoundTripCase("an object or null") { ExplicitNull(wrappedValue: Size(width: nil, name: "n")) },
        RoundTripCase("a link") { try RecordLink<Target>(named: "7") },
        RoundTripCase("an object with all of them") {
            Size(
                width: 1, name: "", link: try RecordLink(named: "8"),
                metadata: Record.Metadata(
                    changeTag: "t", creationDate: .distantPast, modificationDate: .distantFuture))
        },
    ]

    @Test(arguments: cases, RoundTripPosition.allCases)
    func wrapperComesBackFromEveryPlace(_ roundTrip: RoundTripCase, _ position: RoundTripPosition) async throws {
        // In a record of its own the object's name and metadata would be the record's.
        if roundTrip.testDescription == "an object with all of them", [.record, .childRecord].contains(position) {
            return
        }
        try await roundTrip.run(position)
    }
}
