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

    private func check<Value: Codable & Equatable>(_ value: Value, isLossy: Bool = false) async throws {
        let check = RoundTripCheck(isLossy: isLossy)
        try await check(Holder(value))
        try await check(Holder(Optional(value)))
        try await check(Holder([value]))
        try await check(Holder(["a b": value]))
        try await check(Holder(Nested(UnderSuper(value))))
        try await check(Holder(Payload.two(left: value, right: value)))
        try await check(SingleValueRecordOf(value))
        // In a record of its own the object's name and metadata would be the record's.
        if !(value is Size) { try await check(Holder([RecordOf(value)])) }
    }

    @Test func wrapperComesBackFromEveryPlace() async throws {
        try await check(ServerTimestamp(wrappedValue: Date(timeIntervalSinceReferenceDate: 1)))
        try await check(ExplicitNull(wrappedValue: 1))
        try await check(ExplicitNull<Int>(wrappedValue: nil), isLossy: true)
        try await check(ExplicitNull<Size>(wrappedValue: nil), isLossy: true)
        try await check(ExplicitNull(wrappedValue: Size(width: nil, name: "n")))
        try await check(RecordLink<Target>(named: "7"))
        let metadata = Record.Metadata(
            changeTag: "t", creationDate: .distantPast, modificationDate: .distantFuture)
        try await check(Size(width: 1, name: "", link: RecordLink(named: "8"), metadata: metadata))
    }
}
