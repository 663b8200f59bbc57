import NestedRecords
import TestSupport
import Testing

/// Types that go on after a decoding error come out as they would if all records had been there from the start.
@Suite struct CaughtDecodingErrorTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    struct Careless: RecordDecodable, Identifiable, Equatable {
        var id: Int
        var one: Leaf?
        var two: Leaf?
        var many: [Leaf]
        var below: [Careless]

        enum CodingKeys: CodingKey { case id, one, two, many, below }

        init(id: Int, one: Leaf?, two: Leaf?, many: [Leaf], below: [Careless]) {
            (self.id, self.one, self.two, self.many, self.below) = (id, one, two, many, below)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = (try? container.decode(Int.self, forKey: .id)) ?? -1
            one = try? container.decode(Leaf.self, forKey: .one)
            two = try? container.decode(Leaf.self, forKey: .two)
            many = (try? container.decode([Leaf].self, forKey: .many)) ?? []
            below = (try? container.decode([Careless].self, forKey: .below)) ?? []
        }
    }

    private func makeRecords() throws -> [Record] {
        [
            try Flat.record(
                "Careless/1",
                [
                    "id": .int(1), "one": Flat.reference("Leaf/1"), "two": Flat.reference("Leaf/404"),
                    "many": Flat.references(["Leaf/2", "Leaf/1"]), "below": Flat.references(["Careless/2"]),
                ]),
            try Flat.record(
                "Careless/2",
                [
                    "id": .int(2), "one": .string("no reference"), "two": Flat.reference("Leaf/3"),
                    "many": Flat.references(["Leaf/2", "Leaf/405"]),
                ]),
            try Flat.record("Leaf/1", ["id": .int(1)]),
            try Flat.record("Leaf/2", ["id": .int(2)]),
            try Flat.record("Leaf/3", ["id": .int(3)]),
        ]
    }

    private let expected = Careless(
        id: 1, one: Leaf(id: 1), two: nil, many: [Leaf(id: 2), Leaf(id: 1)],
        below: [Careless(id: 2, one: nil, two: Leaf(id: 3), many: [], below: [])])

    @Test func carelessTypeComesOutTheSameFromMemoryAndFromADatabase() async throws {
        let records = try makeRecords()
        let id = try Record.ID("Careless/1")
        #expect(try RecordDecoder().decode(Careless.self, from: RecordGraph(records), root: id) == expected)
        let database = try await CountingDatabase(holding: records)
        for _ in 1...2 {
            #expect(try await RecordDecoder().decode(Careless.self, from: id, in: database) == expected)
            #expect(Set(database.asked).count == database.asked.count)
            database.forgetCalls()
        }
    }

    @Test func typeThatTurnsEveryErrorIntoAnotherIsDecoded() async throws {
        struct Other: Error {}
        struct Strict: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf
            enum CodingKeys: CodingKey { case id, leaf }
            init(from decoder: any Decoder) throws {
                do {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    id = try container.decode(Int.self, forKey: .id)
                    leaf = try container.decode(Leaf.self, forKey: .leaf)
                } catch {
                    throw Other()
                }
            }
        }
        let records = [
            try Flat.record("Strict/1", ["id": .int(1), "leaf": Flat.reference("Leaf/1")]),
            try Flat.record("Leaf/1", ["id": .int(1)]),
        ]
        let database = try await CountingDatabase(holding: records)
        let root = try await RecordDecoder().decode(Strict.self, named: "1", in: database)
        #expect(root.leaf == Leaf(id: 1))
        #expect(database.asked == ["Strict/1", "Leaf/1"])
    }

    @Test func recordThatFailedInOnePlaceIsDecodedInAnother() throws {
        final class Loud: RecordDecodable, Identifiable {
            let id: Int
            let loop: Loud?
        }
        struct Root: RecordDecodable, Identifiable {
            var id: Int
            var asText: String?
            var loud: Loud?
            var leaf: Leaf
            enum CodingKeys: CodingKey { case id, loud, leaf }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                asText = try? container.decode(String.self, forKey: .leaf)
                loud = try? container.decode(Loud.self, forKey: .loud)
                leaf = try container.decode(Leaf.self, forKey: .leaf)
            }
        }
        let records = [
            try Flat.record(
                "Root/1", ["id": .int(1), "loud": Flat.reference("Loud/1"), "leaf": Flat.reference("Leaf/1")]),
            try Flat.record("Loud/1", ["id": .int(1), "loop": Flat.reference("Loud/1")]),
            try Flat.record("Leaf/1", ["id": .int(1)]),
        ]
        let root = try RecordDecoder().decode(Root.self, from: RecordGraph(records))
        #expect(root.asText == nil)
        #expect(root.loud == nil)
        #expect(root.leaf == Leaf(id: 1))
    }

    @Test func elementsThatDoNotFitAreSkipped() throws {
        struct Skipped: Decodable {}
        struct Lenient: RecordDecodable, Identifiable {
            var id: Int
            var leaves: [Leaf] = []
            enum CodingKeys: CodingKey { case id, leaves }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                var list = try container.nestedUnkeyedContainer(forKey: .leaves)
                while !list.isAtEnd {
                    if let leaf = try? list.decode(Leaf.self) {
                        leaves.append(leaf)
                    } else {
                        _ = try list.decode(Skipped.self)
                    }
                }
            }
        }
        let list: Record.Value = .list([1, .null, [:], try Flat.reference("Leaf/404"), try Flat.reference("Leaf/1")])
        let records = [try Flat.record("Lenient/1", ["id": 1, "leaves": list]), try Flat.record("Leaf/1", ["id": 1])]
        #expect(try RecordDecoder().decode(Lenient.self, from: RecordGraph(records)).leaves == [Leaf(id: 1)])
    }
}
