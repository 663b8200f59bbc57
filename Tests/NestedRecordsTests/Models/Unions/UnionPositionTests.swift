import NestedRecords
import TestSupport
import Testing

@Suite struct UnionPositionTests {
    struct Cat: RecordCodable, Identifiable, Hashable {
        @RecordName var id: String
    }

    final class Dog: RecordCodable, Identifiable, Hashable {
        let id: String
        var friend: Pet?
        init(id: String) { self.id = id }
        static func == (left: Dog, right: Dog) -> Bool { left.id == right.id && left.friend == right.friend }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    enum Pet: RecordUnion, Hashable {
        case cat(Cat)
        case dog(Dog)

        static let recordTypes: [any RecordDecodable.Type] = [Cat.self, Dog.self]

        init?(record: any RecordDecodable) {
            if let cat = record as? Cat {
                self = .cat(cat)
            } else if let dog = record as? Dog {
                self = .dog(dog)
            } else {
                return nil
            }
        }

        var record: any RecordEncodable {
            switch self {
            case .cat(let cat): cat
            case .dog(let dog): dog
            }
        }
    }

    /// A union with a union in it.
    enum Being: RecordUnion, Hashable {
        case pet(Pet)
        case stone(Stone)

        static let recordTypes = Pet.recordTypes + [Stone.self]

        init?(record: any RecordDecodable) {
            if let pet = Pet(record: record) {
                self = .pet(pet)
            } else if let stone = record as? Stone {
                self = .stone(stone)
            } else {
                return nil
            }
        }

        var record: any RecordEncodable {
            switch self {
            case .pet(let pet): pet.record
            case .stone(let stone): stone
            }
        }
    }

    struct Stone: RecordCodable, Identifiable, Hashable {
        @RecordName var id: Int
    }

    struct Zoo: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        @ExplicitNull var none: Pet?
        @ExplicitNull var some: Being?
        var optional: Pet??
        var set: Set<Being> = []
        var named: [String: Being?] = [:]
        var numbered: [Int: Pet] = [:]
        var payload: Payload<Being> = .none
        var inner: Embedded<[Being]>?
        static let schema = RecordSchema(cascading: ["inner", "some"])
    }

    private static func zoo() -> Zoo {
        let rex = Dog(id: "rex")
        rex.friend = .cat(Cat(id: "tom"))
        let (dog, cat) = (Being.pet(.dog(rex)), Being.pet(.cat(Cat(id: "tom"))))
        let stone = Being.stone(Stone(id: 1))
        return Zoo(
            id: "zoo", none: nil, some: stone, optional: .dog(rex), set: [dog, cat, stone],
            named: ["a": dog, "b": nil, "c": stone], numbered: [1: .dog(rex), -2: .cat(Cat(id: "kit"))],
            payload: .two(left: cat, right: dog), inner: Embedded(before: 1, value: [dog, stone, dog], after: ""))
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func unionComesBackFromEveryPlace(_ strategy: EmbeddingStrategy) async throws {
        let (encoder, decoder) = coders(strategy)
        let zoo = Self.zoo()
        let graph = try encoder.encode(zoo)
        #expect(graph.count == 5)
        let root = try #require(graph[graph.roots[0]])
        #expect(root.references.filter { $0.action == .deleteSelf }.count == 4)
        let database = try await CountingDatabase(holding: graph)
        for _ in 1...2 {
            database.forgetCalls()
            let decoded = try await decoder.decode(Zoo.self, named: "zoo", in: database)
            #expect(decoded == zoo)
            #expect(database.asked.count == 5)
            guard case .two(_, .pet(.dog(let one))) = decoded.payload, case .dog(let other) = decoded.numbered[1] else {
                Issue.record("\(decoded)")
                return
            }
            #expect(one === other)
        }
        #expect(database.calls.count == 2)
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func missingRecordIsLeftOutWhereAllowed(_ strategy: EmbeddingStrategy) async throws {
        let encoder = coders(strategy).0
        var decoder = coders(strategy).1
        var zoo = Self.zoo()
        (zoo.payload, zoo.numbered) = (.none, [:])
        let records = try encoder.encode(zoo).filter { !["Stone", "Cat"].contains($0.id.type) }
        let database = try await CountingDatabase(holding: records)
        let error = await #expect(throws: RecordError.self) {
            try await decoder.decode(Zoo.self, named: "zoo", in: database)
        }
        #expect(error?.code == .danglingReference)
        #expect(error?.context.record != nil)
        #expect(error?.context.field != nil)
        decoder.coding.omitsDanglingReferences = true
        for _ in 1...2 {
            let resolution = try await decoder.resolve(Zoo.self, from: Record.ID("Zoo/zoo"), in: database)
            #expect(resolution.value.set.count == 1)
            #expect(resolution.value.some == nil)
            #expect(resolution.value.inner?.value.count == 2)
            #expect(Set(resolution.dropped.map(\.target.description)) == ["Stone/1", "Cat/tom"])
        }
    }
}
