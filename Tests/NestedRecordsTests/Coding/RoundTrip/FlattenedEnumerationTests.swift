import NestedRecords
import TestSupport
import Testing

/// Names of cases and payloads that run into each other when they become fields.
@Suite struct FlattenedEnumerationTests {
    struct Inner: Codable, Equatable {
        var x: Int
    }

    enum Change: Codable, Equatable {
        case a(b: Inner)
        case a_b(x: Int)
        case user(nameChange: Inner)
        case userName(change: Inner)
    }

    static let outcomes: [(Change, KeyStrategy, CodingOutcome)] = [
        (.a(b: Inner(x: 1)), .unchanged, .refused), (.a(b: Inner(x: 1)), .snakeCase, .refused),
        (.a_b(x: 1), .unchanged, .returned), (.a_b(x: 1), .snakeCase, .returned),
        (.user(nameChange: Inner(x: 1)), .unchanged, .returned), (.user(nameChange: Inner(x: 1)), .snakeCase, .refused),
        (.userName(change: Inner(x: 1)), .unchanged, .returned),
        (.userName(change: Inner(x: 1)), .snakeCase, .returned),
    ]

    @Test(arguments: outcomes)
    func caseComesBackOrIsRefused(_ change: Change, _ keys: KeyStrategy, _ outcome: CodingOutcome) {
        let (encoder, decoder) = coders(.flattened(), keys: keys)
        #expect(codingOutcome(Holder(change), encoder, decoder) == outcome)
        #expect(codingOutcome(Holder(Optional(change)), encoder, decoder) == outcome)
        #expect(codingOutcome(RecordOf(change), encoder, decoder) == outcome)
        #expect(codingOutcome(Holder(Embedded(before: 1, value: change, after: "")), encoder, decoder) == outcome)
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
        let (encoder, decoder) = coders(.flattened(), keys: .snakeCase)
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
        let (encoder, decoder) = coders(.flattened())
        let outcome = codingOutcome(Crate(id: 1, box: box, box_rawValue: other), encoder, decoder)
        #expect(outcome == (box == nil && other == nil ? .returned : .refused))
    }
}
