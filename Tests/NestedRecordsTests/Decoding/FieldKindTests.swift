import Foundation
import NestedRecords
import TestSupport
import Testing

/// Fields that hold another kind of value than the type wants.
@Suite(.timeLimit(.minutes(60))) struct FieldKindTests {
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
        let failure = CodingFailure(.typeMismatch, "outer.k.0", "Root/1, field 'outer'")
        #expect(CodingFailure(error) == failure, sourceLocation: sourceLocation)
        #expect("\(error as Any)".contains("was expected, \(words), in record"), sourceLocation: sourceLocation)
    }

    @Test(arguments: 0..<8) func wrongKindIsAMismatchWithTheFoundKind(number: Int) throws {
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

    @Test func referenceIsNotAScalar() throws {
        let value = try Flat.reference("Leaf/1")
        try expectMismatch(String.self, value, "found a reference to Leaf/1")
    }

    @Test func referenceToARecordOfFieldsIsNotAList() throws {
        let graph = try RecordGraph([
            Flat.record("Root/1", ["id": .int(1), "outer": .map(["k": .list([Flat.reference("Leaf/1")])])]),
            Flat.record("Leaf/1", ["id": .int(1)]),
        ])
        let error = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Root<[Int]>.self, from: graph) }
        #expect(CodingFailure(error)?.kind == .typeMismatch)
        #expect("\(error as Any)".contains("found a reference to Leaf/1"))
    }

    @Test(arguments: [128, -129]) func integerThatDoesNotFitIsAMismatch(value: Int64) throws {
        try expectMismatch(Int8.self, .int(value), "found an integer: \(value)")
    }
}
