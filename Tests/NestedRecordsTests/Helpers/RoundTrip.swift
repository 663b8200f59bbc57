import Foundation
import NestedRecords
import Testing

/// The places in a record where a value can stand.
enum RoundTripPosition: CaseIterable {
    case property, record, singleValueRecord, optional, list, listOfLists, dictionary, integerDictionary
    case embedded, payload, nestedContainers, underSuper, childRecord
}

/// A value that is taken through the record coders, a database and the JSON coders in each position.
struct RoundTripCase: Sendable, CustomTestStringConvertible {
    typealias Value = Codable & Equatable & SendableMetatype

    let testDescription: String
    private let isLossy: Bool
    private let isJSON: Bool
    private let isUnordered: Bool

    // Without its type, so that the compiler makes no code for each value in each position.
    private let make: @Sendable () throws -> any Value

    /// - Parameters:
    ///   - name: What is special about the value.
    ///   - isLossy: Whether no coder brings the very same value back, so that only JSON's answer counts.
    ///   - isJSON: Whether JSON's coders can take the value.
    ///   - isUnordered: Whether the value writes its elements in an order of its own each time, which only the coder
    ///     that is handed the whole collection can put right.
    ///   - make: Makes the value.
    init<Made: Value>(
        _ name: String, isLossy: Bool = false, isJSON: Bool = true, isUnordered: Bool = false,
        _ make: @escaping @Sendable () throws -> Made
    ) {
        (testDescription, self.isLossy, self.isJSON, self.isUnordered) = (name, isLossy, isJSON, isUnordered)
        self.make = { try make() }
    }

    func run(_ position: RoundTripPosition) async throws { try await run(make(), position) }

    private func run<Made: Value>(_ value: Made, _ position: RoundTripPosition) async throws {
        var check = RoundTripCheck(isLossy: isLossy, isJSON: isJSON)
        if isUnordered { check.isStable = ![.record, .underSuper, .childRecord].contains(position) }
        switch position {
        case .property: try await check(Holder(value))
        case .record: try await check(RecordOf(value))
        case .singleValueRecord: try await check(SingleValueRecordOf(value))
        case .optional: try await check(Holder(Optional(value)))
        case .list: try await check(Holder([value, value]))
        case .listOfLists: try await check(Holder([[value], [], [value, value]]))
        case .dictionary: try await check(Holder(["": value, "a b": value]))
        case .integerDictionary: try await check(Holder([-1: value, 7: value]))
        case .embedded: try await check(Holder(Embedded(before: 1, value: value, after: "x")))
        case .payload: try await check(Holder([Payload.one(value), .two(left: value, right: value), .none]))
        case .nestedContainers: try await check(Holder(Nested(value)))
        case .underSuper: try await check(Holder(UnderSuper(value)))
        case .childRecord: try await check(Holder([RecordOf(value)]))
        }
    }
}

/// Takes a record through all coders.
struct RoundTripCheck {
    var isLossy = false
    var isJSON = true
    var isStable = true

    func callAsFunction<Model: RecordCodable & Equatable>(
        _ model: Model, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let graph = try RecordEncoder().encode(model)
        let decoded = try RecordDecoder().decode(Model.self, from: graph)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        let loaded = try await RecordDecoder().decode(Model.self, from: graph.roots[0], in: database)
        #expect(loaded == decoded, sourceLocation: sourceLocation)
        if !isLossy { #expect(decoded == model, sourceLocation: sourceLocation) }
        if isJSON {
            let data = try JSONEncoder.extended.encode(model)
            let expected = try JSONDecoder.extended.decode(Model.self, from: data)
            #expect(decoded == expected, sourceLocation: sourceLocation)
        }
        // What came back must be the same records again.
        guard isStable else { return }
        #expect(try RecordEncoder().encode(decoded) == graph, sourceLocation: sourceLocation)
    }
}

extension JSONEncoder {
    /// Writes infinities and not-a-numbers as texts, since JSON knows no such numbers.
    static var extended: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}

extension JSONDecoder {
    static var extended: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
