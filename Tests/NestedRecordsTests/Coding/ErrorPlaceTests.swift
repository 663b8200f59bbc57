import NestedRecords
import TestSupport
import Testing

/// The place of an error is that of the value that caused it, whatever was coded before.
@Suite struct ErrorPlaceTests {
    struct Oops: Error { var number = 1 }

    struct Failing: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws { throw Oops() }
        func encode(to encoder: any Encoder) throws { throw Oops() }
    }

    private func decode<Model: RecordDecodable>(_ type: Model.Type, _ fields: Record.Fields) throws -> Model {
        try RecordDecoder().decode(type, from: RecordGraph([Flat.record("\(type.recordType)/1", fields)]))
    }

    struct Leaf: RecordCodable, Identifiable { var id: Int }

    struct Faulty: RecordCodable, Identifiable {
        enum Behaviour: String, Codable, Sendable, CaseIterable {
            case throwsAtOnce, throwsAfterField, throwsAfterNestedValue, throwsAfterIgnoredError
        }

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
            try? container.encode(Failing(), forKey: .behaviour)
            throw Oops()
        }

        static let key = CodingUserInfoKey(rawValue: "behaviour") ?? .recordID
    }

    struct Owner: RecordCodable, Identifiable {
        var id: Int
        var list: [Faulty]
    }

    @Test(arguments: Faulty.Behaviour.allCases) func ownErrorOfARecordHasItsPlace(behaviour: Faulty.Behaviour) throws {
        let place = "Faulty/1 (Owner/7 .list[0] → Faulty/1)"
        let owner = Owner(id: 7, list: [Faulty(behaviour)])
        #expect(
            CodingFailure.of { try RecordEncoder().encode(owner) }
                == CodingFailure(.invalidValue, "list.0", place, cause: "Oops(number: 1)"))

        var decoder = RecordDecoder()
        decoder.coding.userInfo = [Faulty.key: behaviour]
        let graph = try RecordGraph([
            Flat.record("Owner/7", ["id": .int(7), "list": Flat.references(["Faulty/1"])]),
            Flat.record("Faulty/1", ["id": .int(1), "leaves": Flat.references(["Leaf/1"])]),
            Flat.record("Leaf/1", ["id": .int(1)]),
        ])
        #expect(
            CodingFailure.of { try decoder.decode(Owner.self, from: graph) }
                == CodingFailure(.dataCorrupted, "list.0", place, cause: "Oops(number: 1)"))
    }

    @Test func ownErrorOfAnEmbeddedValueHasItsPlaceOnce() throws {
        let place = "Holder/holder, field 'value'"
        let error = #expect(throws: EncodingError.self) { try RecordEncoder().encode(Holder(["k": Failing()])) }
        #expect(CodingFailure(error) == CodingFailure(.invalidValue, "value.k", place, cause: "Oops(number: 1)"))
        guard case .invalidValue(let value, _) = error else { return }
        #expect(value is Failing)
        let graph = try RecordGraph([Flat.record("Holder/holder", ["value": ["k": [:]]])])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Holder<[String: Failing]>.self, from: graph) }
                == CodingFailure(.dataCorrupted, "value.k", place, cause: "Oops(number: 1)"))
    }

    @Test func valueThatFollowsAnObjectIsThePlace() throws {
        struct Inner: Encodable { var text = "x" }
        struct Model: RecordEncodable, Identifiable {
            var id = 1
            var inner = Inner()
            var number = Unstorable()
        }
        #expect(
            CodingFailure.of { try RecordEncoder().encode(Model()) }
                == CodingFailure(.invalidValue, "number", "Model/1, field 'number'"))
    }

    /// Reads a number, or throws one error or another.
    struct Flexible: RecordDecodable, Identifiable {
        var id: Int
        enum CodingKeys: CodingKey { case id }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let number = try? container.decode(Int.self, forKey: .id) {
                id = number
                return
            }
            if try container.decode(String.self, forKey: .id) == "own" { throw Oops() }
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: "no number")
        }
    }

    @Test func errorAfterCaughtErrorsHasItsPlace() throws {
        #expect(
            CodingFailure.of { try decode(Flexible.self, ["id": "own"]) }
                == CodingFailure(.dataCorrupted, "", "Flexible/1", cause: "Oops(number: 1)"))
        let named = CodingFailure.of { try decode(Flexible.self, ["id": "one"]) }
        #expect(named?.path == "id" && named?.place.hasPrefix("Flexible/1") == true)
    }

    @Test func firstOfTwoErrorsHasItsPlaceOnce() throws {
        struct Point: Codable, Equatable { var x: Int }
        struct PointOrNumber: Codable, Equatable {
            init(from decoder: any Decoder) throws {
                do {
                    _ = try Point(from: decoder)
                } catch let first {
                    do { _ = try decoder.singleValueContainer().decode(Int.self) } catch { throw first }
                }
            }
        }
        let graph = try RecordGraph([Flat.record("Holder/holder", ["value": [:]])])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Holder<PointOrNumber>.self, from: graph) }
                == CodingFailure(.keyNotFound("x"), "value", "Holder/holder, field 'value'"))
    }

    @Test func wrongLocationThatATypeMakesHasItsPlace() throws {
        struct Pole: Codable, Equatable {
            init() {}
            init(from decoder: any Decoder) throws { _ = try Location(latitude: 100, longitude: 0) }
            func encode(to encoder: any Encoder) throws { _ = try Location(latitude: 100, longitude: 0) }
        }
        let encoding = #expect(throws: (any Error).self) { try RecordEncoder().encode(Holder(Pole())) }
        #expect("\(encoding as Any)".contains("Holder/holder"))
        let graph = try RecordGraph([Flat.record("Holder/holder", ["value": [:]])])
        let decoding = #expect(throws: (any Error).self) {
            try RecordDecoder().decode(Holder<Pole>.self, from: graph)
        }
        #expect("\(decoding as Any)".contains("Holder/holder"))
    }

    @Test func missingFieldIsNamedWithItsRecordAndTheWayThere() throws {
        struct Person: RecordDecodable, Identifiable {
            var id: Int
            var name: String
        }
        struct Team: RecordDecodable, Identifiable {
            var id: Int
            var members: [Person]
        }
        let graph = try RecordGraph([
            Flat.record("Team/1", ["id": .int(1), "members": Flat.references(["Person/1"])]),
            Flat.record("Person/1", ["id": .int(1)]),
        ])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Team.self, from: graph) }
                == CodingFailure(
                    .keyNotFound("name"), "members.0", "Person/1, field 'name' (Team/1 .members[0] → Person/1)"))
    }

    @Test func nullWhereAValueIsNeededIsNotFound() throws {
        struct Inner: Codable, Equatable { var text: String }
        let graph = try RecordGraph([Flat.record("Holder/holder", ["value": ["text": .null]])])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Holder<Inner>.self, from: graph) }
                == CodingFailure(.valueNotFound, "value.text", "Holder/holder, field 'value'"))
    }

    @Test(arguments: [Record.Value.list([]), .int(1), .null, .string("")])
    func listThatIsTooShortOrNoListIsRefusedWithItsPlace(stored: Record.Value) throws {
        let graph = try RecordGraph([Flat.record("Holder/holder", ["value": ["outer": ["inner": stored]]])])
        let failure = CodingFailure.of { try RecordDecoder().decode(Holder<Nested<Int>>.self, from: graph) }
        #expect(failure?.path == (stored == .list([]) ? "value.outer.inner.0" : "value.outer.inner"))
        #expect(failure?.place == "Holder/holder, field 'value'")
    }
}
