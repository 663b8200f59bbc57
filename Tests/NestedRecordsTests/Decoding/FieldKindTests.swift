import Foundation
import NestedRecords
import TestSupport
import Testing

/// Fields that hold another kind of value than the type wants.
@Suite(.timeLimit(.minutes(10))) struct FieldKindTests {
    struct Leaf: RecordCodable, Identifiable { var id: Int }
    struct Cover: Codable { var title: String }

    struct Root<Value: Codable & Sendable>: RecordDecodable, Identifiable {
        static var recordType: String { "Root" }
        var id: Int
        var outer: [String: [Value]]
    }

    /// Every kind of value, with the words that an error uses for it.
    static let kinds: [(value: Record.Value, words: String)] = [
        (.bool(true), "found a Boolean"), (.int(7), "found an integer: 7"), (.double(0.5), "found a number: 0.5"),
        (.string("text"), "found a string: 'text'"), (.date(.distantPast), "found a date"),
        (.bytes(Data([1])), "found bytes"), (.list([.int(1)]), "found a list"), (.map(["a": .int(1)]), "found a map"),
    ]

    private func expectMismatch<Value: Codable & Sendable>(
        _ type: Value.Type, _ value: Record.Value, _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let fields: Record.Fields = ["id": .int(1), "outer": .map(["k": .list([value])])]
        let graph = try RecordGraph([Flat.record("Root/1", fields)])
        let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) {
            try RecordDecoder().decode(Root<Value>.self, from: graph)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["outer", "k", "Index 0"], sourceLocation: sourceLocation)
        let text = context.debugDescription
        #expect(
            text.contains("was expected, \(words), in record Root/1, field 'outer'"), sourceLocation: sourceLocation)
    }

    @Test(arguments: 0..<8) func wrongKindIsAMismatchThatTellsWhatWasFound(number: Int) throws {
        let (value, words) = Self.kinds[number]
        if number != 7 { try expectMismatch(Leaf.self, value, words) }
        try expectMismatch(Record.Reference.self, value, words)
        if ![1].contains(number) { try expectMismatch(Int8.self, value, words) }
        if ![1, 2].contains(number) { try expectMismatch(Double.self, value, words) }
        if number != 0 { try expectMismatch(Bool.self, value, words) }
        if number != 3 { try expectMismatch(String.self, value, words) }
        if ![1, 2, 4].contains(number) { try expectMismatch(Date.self, value, words) }
        if number != 5 { try expectMismatch(Data.self, value, words) }
        if number != 3 { try expectMismatch(Location.self, value, words) }
        if number != 3 { try expectMismatch(UUID.self, value, words) }
        if number != 6 { try expectMismatch([Int].self, value, words) }
        if number != 6 { try expectMismatch(Set<Int>.self, value, words) }
        if number != 7 { try expectMismatch([String: Int].self, value, words) }
        if number != 7 { try expectMismatch(Cover.self, value, words) }
    }

    @Test func referenceIsNoScalar() throws {
        let value = try Flat.reference("Leaf/1")
        try expectMismatch(String.self, value, "found a reference to Leaf/1")
    }

    @Test func referenceToARecordOfFieldsIsNoList() throws {
        let graph = try RecordGraph([
            Flat.record("Root/1", ["id": .int(1), "outer": .map(["k": .list([Flat.reference("Leaf/1")])])]),
            Flat.record("Leaf/1", ["id": .int(1)]),
        ])
        let error = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Root<[Int]>.self, from: graph) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains("found a reference to Leaf/1"))
    }

    @Test(arguments: [128, -129]) func integerThatDoesNotFitIsAMismatch(value: Int64) throws {
        try expectMismatch(Int8.self, .int(value), "found an integer: \(value)")
    }

    @Test(arguments: ["91;0", "-90.1;0", "0;181", "nan;0", "inf;0", "1;2;3", ";", "12;", "", "1,5;2", "0x10;1"])
    func textsThatAreNoLocationsAreRefused(text: String) throws {
        let graph = try RecordGraph([
            Flat.record("Root/1", ["id": .int(1), "outer": .map(["k": .list([.string(text)])])])
        ])
        let reading = #expect(throws: DecodingError.self) {
            try RecordDecoder().decode(Root<Location>.self, from: graph)
        }
        guard case .dataCorrupted(let context) = reading else {
            Issue.record("\(String(describing: reading))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["outer", "k", "Index 0"])
        #expect(context.debugDescription == "'\(text)' is no location, in record Root/1, field 'outer'")
        struct Place: RecordCodable, Identifiable {
            static let locationProperties: Set<String> = ["at"]
            var id: Int
            var at: [String]
        }
        let error = #expect(throws: EncodingError.self) {
            try RecordEncoder().encode(Place(id: 1, at: ["1.5;2.5", text]))
        }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["at"])
        #expect(context.debugDescription.contains("Place/1"))
    }

    @Test(arguments: [(91, 0), (-91, 0), (Double.nan, 0), (.infinity, 0), (0, 181), (0, -181), (0, .nan)])
    func coordinatesOutOfRangeAreRefused(latitude: Double, longitude: Double) throws {
        let error = #expect(throws: RecordError.self) { try Location(latitude: latitude, longitude: longitude) }
        guard error?.code == .invalidLocation, error?.locationString == "\(latitude);\(longitude)",
            let reason = error?.reason
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains((-90...90).contains(latitude) ? "longitude" : "latitude"))
    }
}
