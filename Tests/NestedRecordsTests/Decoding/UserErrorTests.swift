import NestedRecords
import TestSupport
import Testing

/// Errors that the types' own code throws.
@Suite(.timeLimit(.minutes(10))) struct UserErrorTests {
    struct Oops: Error, Equatable { var number = 1 }

    enum Behaviour: String, Codable, Sendable, CaseIterable {
        case throwsAtOnce, throwsAfterField, throwsAfterNestedValue, throwsAfterIgnoredError
    }

    struct Leaf: RecordCodable, Identifiable { var id: Int }

    struct Faulty: RecordCodable, Identifiable {
        var id: Int
        var behaviour: Behaviour
        var leaves: [Leaf]
        enum CodingKeys: CodingKey { case id, behaviour, leaves }

        init(_ behaviour: Behaviour) { (id, self.behaviour, leaves) = (1, behaviour, [Leaf(id: 1)]) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let behaviour = decoder.userInfo[Self.key] as? Behaviour
            if behaviour == .throwsAtOnce { throw Oops() }
            id = try container.decode(Int.self, forKey: .id)
            self.behaviour = .throwsAtOnce
            if behaviour == .throwsAfterField { throw Oops() }
            leaves = try container.decode([Leaf].self, forKey: .leaves)
            if behaviour == .throwsAfterNestedValue { throw Oops() }
            _ = try? container.decode(String.self, forKey: .leaves)
            throw Oops()
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if behaviour == .throwsAtOnce { throw Oops() }
            try container.encode(id, forKey: .id)
            if behaviour == .throwsAfterField { throw Oops() }
            try container.encode(leaves, forKey: .leaves)
            if behaviour == .throwsAfterNestedValue { throw Oops() }
            try? container.encode(Embedded(), forKey: .behaviour)
            throw Oops()
        }

        static let key = CodingUserInfoKey(rawValue: "behaviour") ?? .recordID
    }

    struct Holder: RecordCodable, Identifiable {
        var id: Int
        var list: [Faulty]
    }

    /// After a value that was coded without an error, an error has nothing to do with that value's field.
    @Test(arguments: Behaviour.allCases) func errorOfEncodeIsWrappedWithItsPlace(behaviour: Behaviour) throws {
        let holder = Holder(id: 7, list: [Faulty(behaviour)])
        let error = #expect(throws: EncodingError.self) { try RecordEncoder().encode(holder) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.underlyingError as? Oops == Oops())
        #expect(context.debugDescription.contains(": Oops(number: 1), in record Faulty/1"))
        // The type went on after an error in a field: whether that field is the place is a matter of taste.
        if behaviour == .throwsAfterIgnoredError { return }
        #expect(context.codingPath.map(\.stringValue) == ["list", "Index 0"])
        #expect(
            context.debugDescription
                == "encoding failed: Oops(number: 1), in record Faulty/1 (Holder/7 .list[0] → Faulty/1)")
    }

    @Test(arguments: Behaviour.allCases) func errorOfInitIsWrappedWithItsPlace(behaviour: Behaviour) throws {
        var decoder = RecordDecoder()
        decoder.userInfo = [Faulty.key: behaviour]
        let graph = try RecordGraph([
            Flat.record("Holder/7", ["id": .int(7), "list": Flat.references(["Faulty/1"])]),
            Flat.record("Faulty/1", ["id": .int(1), "leaves": Flat.references(["Leaf/1"])]),
            Flat.record("Leaf/1", ["id": .int(1)]),
        ])
        let error = #expect(throws: (any Error).self) { try decoder.decode(Holder.self, from: graph) }
        guard case DecodingError.dataCorrupted(let context)? = error else {
            Issue.record("not wrapped: \(String(describing: error))")
            return
        }
        #expect(context.underlyingError as? Oops == Oops())
        #expect(context.debugDescription.contains(": Oops(number: 1), in record Faulty/1"))
        // The type went on after an error in a field: whether that field is the place is a matter of taste.
        if behaviour == .throwsAfterIgnoredError { return }
        #expect(context.codingPath.map(\.stringValue) == ["list", "Index 0"])
        #expect(
            context.debugDescription
                == "decoding failed: Oops(number: 1), in record Faulty/1 (Holder/7 .list[0] → Faulty/1)")
    }

    struct Embedded: Codable {
        init() {}
        init(from decoder: any Decoder) throws { throw Oops(number: 2) }
        func encode(to encoder: any Encoder) throws { throw Oops(number: 2) }
    }

    struct Owner: RecordCodable, Identifiable {
        var id: Int
        var parts: [String: Embedded]
    }

    @Test func errorOfAnEmbeddedValueIsPlacedOnce() throws {
        let encoding = #expect(throws: EncodingError.self) {
            try RecordEncoder().encode(Owner(id: 1, parts: ["k": Embedded()]))
        }
        guard case .invalidValue(_, let context) = encoding else { return }
        #expect(context.underlyingError as? Oops == Oops(number: 2))
        #expect(context.codingPath.map(\.stringValue) == ["parts", "k"])
        #expect(context.debugDescription == "encoding failed: Oops(number: 2), in record Owner/1, field 'parts'")

        let graph = try RecordGraph([Flat.record("Owner/1", ["id": .int(1), "parts": .map(["k": .map([:])])])])
        let decoding = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Owner.self, from: graph) }
        guard case .dataCorrupted(let context) = decoding else { return }
        #expect(context.underlyingError as? Oops == Oops(number: 2))
        #expect(context.codingPath.map(\.stringValue) == ["parts", "k"])
        #expect(context.debugDescription == "decoding failed: Oops(number: 2), in record Owner/1, field 'parts'")
    }

    @Test func ownDecodingErrorAfterAnIgnoredOneIsPlaced() throws {
        struct Flexible: RecordDecodable, Identifiable {
            var id: Int
            enum CodingKeys: CodingKey { case id }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if let number = try? container.decode(Int.self, forKey: .id) {
                    id = number
                    return
                }
                throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: "no number")
            }
        }
        let graph = try RecordGraph([Flat.record("Flexible/1", ["id": .string("one")])])
        let error = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Flexible.self, from: graph) }
        guard case .dataCorrupted(let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["id"])
        #expect(context.debugDescription.hasPrefix("no number, in record Flexible/1"))
    }
}
