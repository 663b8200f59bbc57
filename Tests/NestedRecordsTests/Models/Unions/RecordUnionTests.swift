import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RecordUnionTests {
    struct Cat: RecordCodable, Identifiable, Equatable {
        var id: String
        var toy: Toy
    }

    struct Dog: RecordCodable, Identifiable, Equatable {
        var id: String
        var friends: [Pet]
    }

    struct Toy: RecordCodable, Identifiable, Equatable {
        var id: Int
    }

    struct Unknown: DynamicRecordRepresentable, Codable, Equatable {
        var recordType: String
        var recordName: String
        var fields: Record.Fields

        init(from decoder: any Decoder) throws {
            let id = try #require(decoder.userInfo[.recordID] as? Record.ID)
            (recordType, recordName) = (id.type, id.name)
            fields = try Record.Fields(from: decoder)
        }

        func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
    }

    indirect enum Pet: RecordUnion, Equatable {
        case cat(Cat)
        case dog(Dog)
        case other(Unknown)

        init?(record: any RecordDecodable) {
            switch record {
            case let cat as Cat: self = .cat(cat)
            case let dog as Dog: self = .dog(dog)
            case let other as Unknown: self = .other(other)
            default: return nil
            }
        }

        var record: any RecordEncodable {
            switch self {
            case .cat(let cat): cat
            case .dog(let dog): dog
            case .other(let other): other
            }
        }
    }

    struct Owner: RecordCodable, Identifiable, Equatable {
        var id: String
        var pets: [Pet]
        var first: Pet?
        var byName: [String: Pet] = [:]
    }

    private static var registered: RecordDecoder {
        var decoder = RecordDecoder()
        decoder.register(Cat.self, Dog.self)
        return decoder
    }

    private static var tom: Pet { .cat(Cat(id: "tom", toy: Toy(id: 1))) }
    private static var owner: Owner {
        Owner(
            id: "ada", pets: [tom, .dog(Dog(id: "rex", friends: [tom]))], first: tom, byName: ["t": tom])
    }

    @Test func valuesAreTheRecordsThatStandInThem() throws {
        let graph = try RecordEncoder().encode(Self.owner)
        #expect(graph.map(\.id.description) == ["Toy/1", "Cat/tom", "Dog/rex", "Owner/ada"])
        #expect(try graph[Record.ID("Owner/ada")]?["pets"] == Flat.references(["Cat/tom", "Dog/rex"]))
        #expect(try Self.registered.decode(Owner.self, from: graph) == Self.owner)
    }

    @Test func databaseIsAskedOncePerLevel() async throws {
        let database = try await CountingDatabase(holding: RecordEncoder().encode(Self.owner))
        #expect(try await Self.registered.decode(Owner.self, named: "ada", in: database) == Self.owner)
        #expect(database.asked.count == 4)
        database.forgetCalls()
        #expect(try await Self.registered.decode(Owner.self, named: "ada", in: database) == Self.owner)
        #expect(database.sortedCalls == [["Owner/ada"], ["Cat/tom", "Dog/rex"], ["Toy/1"]])
    }

    @Test func unregisteredTypeIsAnError() throws {
        let graph = try RecordEncoder().encode(Self.owner)
        #expect {
            try RecordDecoder().decode(Owner.self, from: graph)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .unregisteredType, let id = error.recordID,
                error.expectedType == "Pet", case let place = error.context
            else { return false }
            return id.description == "Cat/tom" && place.keys == ["pets", "Index 0"]
        }
    }

    @Test func registeredTypeThatTheUnionRefusesIsAnError() throws {
        var decoder = Self.registered
        decoder.register(Toy.self)
        let graph = try RecordGraph([
            Flat.record("Owner/ada", ["id": "ada", "byName": [:], "pets": Flat.references(["Toy/1"])]),
            Flat.record("Toy/1", ["id": 1]),
        ])
        #expect {
            try decoder.decode(Owner.self, from: graph)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .unregisteredType, let id = error.recordID,
                error.expectedType == "Pet"
            else { return false }
            return id.description == "Toy/1"
        }
    }

    @Test func fallbackKeepsUnknownRecords() throws {
        var decoder = Self.registered
        decoder.register(fallback: Unknown.self)
        let graph = try RecordGraph(
            [
                Flat.record("Owner/ada", ["id": "ada", "byName": [:], "pets": Flat.references(["Fish/wanda"])]),
                Flat.record("Fish/wanda", ["fins": 7]),
            ], roots: [Record.ID("Owner/ada")])
        let owner = try decoder.decode(Owner.self, from: graph)
        guard case .other(let fish) = try #require(owner.pets.first) else {
            Issue.record("\(owner)")
            return
        }
        #expect(fish.recordType == "Fish")
        #expect(fish.fields == ["fins": 7])
        #expect(try RecordEncoder().encode(owner) == graph)
    }

    @Test func valueThatIsNoReferenceIsRefused() throws {
        let graph = try RecordGraph([Flat.record("Owner/ada", ["id": "ada", "pets": ["Cat/tom"], "byName": [:]])])
        #expect(throws: DecodingError.self) { try Self.registered.decode(Owner.self, from: graph) }
    }

    @Test func jsonHasTheFormOfItsConformance() throws {
        let data = try JSONEncoder().encode(Self.owner)
        #expect(try JSONDecoder().decode(Owner.self, from: data) == Self.owner)
    }
}
