import NestedRecords
import Testing

/// Names of cases and payloads that run into each other when they become fields.
@Suite struct FlattenedEnumerationTests {
    struct Inner: Codable, Equatable {
        var x: Int
    }

    enum Change: Codable, Equatable, CaseIterable {
        case a(b: Inner)
        case a_b(x: Int)
        case user(nameChange: Inner)
        case userName(change: Inner)
        static let allCases = [
            Change.a(b: Inner(x: 1)), .a_b(x: 1), .user(nameChange: Inner(x: 1)), .userName(change: Inner(x: 1)),
        ]
    }

    @Test(arguments: Change.allCases, [KeyStrategy.unchanged, .snakeCase])
    func caseComesBackOrIsRefused(_ change: Change, _ keys: KeyStrategy) {
        let (encoder, decoder) = FlattenedTests.coders("_", keys)
        expectReturnedOrRefused(Holder(change), encoder, decoder)
        expectReturnedOrRefused(Holder(Optional(change)), encoder, decoder)
        expectReturnedOrRefused(RecordOf(change), encoder, decoder)
        expectReturnedOrRefused(Holder(Embedded(before: 1, value: change, after: "")), encoder, decoder)
    }

    enum Kind: String, Codable {
        case hall
    }

    struct Room: RecordCodable, Identifiable, Equatable {
        var id: Int
        var kind: Kind?
        var kindName: String?
        var number: Number?
        var numberText: String?
    }

    struct Number: RawRepresentable, Codable, Equatable {
        var rawValue: Int
    }

    @Test(arguments: [Kind.hall, nil], [Number(rawValue: 1), nil])
    func rawValueIsNeverSoughtInOtherFields(_ kind: Kind?, _ number: Number?) throws {
        let (encoder, decoder) = FlattenedTests.coders("_", .snakeCase)
        let room = Room(id: 1, kind: kind, kindName: "the hall", number: number, numberText: "one")
        let graph = try encoder.encode(room)
        #expect(try decoder.decode(Room.self, from: graph) == room)
    }

    struct Boxed: RawRepresentable, Codable, Equatable {
        var rawValue: Inner
    }

    struct Crate: RecordCodable, Identifiable, Equatable {
        var id: Int
        var box: Boxed?
        var box_rawValue: Inner?
    }

    @Test(arguments: [Boxed(rawValue: Inner(x: 1)), nil], [Inner(x: 2), nil])
    func rawValueThatIsAnObjectIsNotTakenForAnother(_ box: Boxed?, _ other: Inner?) {
        let (encoder, decoder) = FlattenedTests.coders()
        expectReturnedOrRefused(Crate(id: 1, box: box, box_rawValue: other), encoder, decoder)
    }
}
