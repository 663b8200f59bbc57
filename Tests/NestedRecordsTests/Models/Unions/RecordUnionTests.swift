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

        static let recordTypes: [any RecordDecodable.Type] = [Unknown.self, Cat.self, Dog.self]

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

    private static var tom: Pet { .cat(Cat(id: "tom", toy: Toy(id: 1))) }
    private static var owner: Owner {
        Owner(
            id: "ada", pets: [tom, .dog(Dog(id: "rex", friends: [tom]))], first: tom, byName: ["t": tom])
    }

    @Test func valuesAreTheRecordsThatStandInThem() throws {
        let graph = try RecordEncoder().encode(Self.owner)
        #expect(graph.map(\.id.description) == ["Toy/1", "Cat/tom", "Dog/rex", "Owner/ada"])
        #expect(try graph[Record.ID("Owner/ada")]?["pets"] == Flat.references(["Cat/tom", "Dog/rex"]))
        #expect(try RecordDecoder().decode(Owner.self, from: graph) == Self.owner)
    }

    @Test func databaseIsAskedOncePerLevel() async throws {
        let database = try await CountingDatabase(holding: RecordEncoder().encode(Self.owner))
        #expect(try await RecordDecoder().decode(Owner.self, named: "ada", in: database) == Self.owner)
        #expect(database.asked.count == 4)
        database.forgetCalls()
        #expect(try await RecordDecoder().decode(Owner.self, named: "ada", in: database) == Self.owner)
        #expect(database.sortedCalls == [["Owner/ada"], ["Cat/tom", "Dog/rex"], ["Toy/1"]])
    }

    /// Takes cats alone, and says that it takes toys too.
    struct Single: RecordUnion, Equatable {
        static let recordTypes: [any RecordDecodable.Type] = [Cat.self, Toy.self]
        var cat: Cat
        init?(record: any RecordDecodable) {
            guard let cat = record as? Cat else { return nil }
            self.cat = cat
        }
        var record: any RecordEncodable { cat }
    }

    struct CatOwner: RecordCodable, Identifiable, Equatable {
        static let recordType = "Owner"
        var id: String
        var pets: [Single]
    }

    @Test(arguments: ["Dog/rex", "Toy/1"])
    func recordThatTheUnionDoesNotTakeIsAnError(_ target: String) throws {
        let graph = try RecordGraph(
            [
                Flat.record("Owner/ada", ["id": "ada", "pets": Flat.references([target])]),
                Flat.record("Toy/1", ["id": 1]), Flat.record("Dog/rex", ["id": "rex", "friends": []]),
            ], roots: [Record.ID("Owner/ada")])
        var decoder = RecordDecoder()
        // What is registered at the decoder adds no type to a union.
        decoder.coding.register(Dog.self)
        decoder.coding.register(fallback: Unknown.self)
        let error = #expect(throws: RecordError.self) { try decoder.decode(CatOwner.self, from: graph) }
        #expect(error?.code == .unregisteredType)
        #expect(error?.recordID?.description == target)
        #expect(error?.description.contains("as Single") == true)
        #expect(error?.context.keys == ["pets", "Index 0"])
    }

    class Vehicle: RecordCodable, Identifiable {
        var id = "v"
    }

    final class Bicycle: Vehicle {}

    struct Ride: RecordUnion {
        static let recordTypes: [any RecordDecodable.Type] = [Vehicle.self]
        var vehicle: Vehicle
        init(_ vehicle: Vehicle) { self.vehicle = vehicle }
        init?(record: any RecordDecodable) {
            guard let vehicle = record as? Vehicle else { return nil }
            self.vehicle = vehicle
        }
        var record: any RecordEncodable { vehicle }
    }

    @Test func registeredSubclassOfAListedClassStandsInTheUnion() throws {
        let graph = try RecordEncoder().encode(Garage(ride: Ride(Bicycle())))
        #expect(graph.map(\.id.description) == ["Bicycle/v", "Garage/h"])
        #expect(throws: RecordError.self) { try RecordDecoder().decode(Garage.self, from: graph) }
        var decoder = RecordDecoder()
        decoder.coding.register(Bicycle.self)
        #expect(try decoder.decode(Garage.self, from: graph).ride.vehicle is Bicycle)
    }

    struct Garage: RecordCodable {
        var recordName: String { "h" }
        var ride: Ride
    }

    @Test func dynamicTypeInTheListKeepsUnknownRecords() throws {
        let graph = try RecordGraph(
            [
                Flat.record("Owner/ada", ["id": "ada", "byName": [:], "pets": Flat.references(["Fish/wanda"])]),
                Flat.record("Fish/wanda", ["fins": 7]),
            ], roots: [Record.ID("Owner/ada")])
        let owner = try RecordDecoder().decode(Owner.self, from: graph)
        guard case .other(let fish) = try #require(owner.pets.first) else {
            Issue.record("\(owner)")
            return
        }
        #expect(fish.recordType == "Fish")
        #expect(fish.fields == ["fins": 7])
        #expect(try RecordEncoder().encode(owner) == graph)
    }

    @Test func valueThatIsNotAReferenceIsRefused() throws {
        let graph = try RecordGraph([Flat.record("Owner/ada", ["id": "ada", "pets": ["Cat/tom"], "byName": [:]])])
        #expect(throws: DecodingError.self) { try RecordDecoder().decode(Owner.self, from: graph) }
    }

    @Test func jsonHasTheFormOfItsConformance() throws {
        let data = try JSONEncoder().encode(Self.owner)
        #expect(try JSONDecoder().decode(Owner.self, from: data) == Self.owner)
    }

    /// Hands the union its encoder, and reads it from a container.
    struct HandedOn: RecordCodable, Equatable {
        struct Wrapper: Codable, Equatable {
            var pet: Pet
            init(_ pet: Pet) { self.pet = pet }
            init(from decoder: any Decoder) throws { pet = try decoder.singleValueContainer().decode(Pet.self) }
            func encode(to encoder: any Encoder) throws { try pet.encode(to: encoder) }
        }

        var recordName: String { "h" }
        var wrapper: Wrapper
    }

    @Test func unionThatIsHandedTheEncoderIsReadFromAContainer() async throws {
        let holder = HandedOn(wrapper: HandedOn.Wrapper(Self.tom))
        let graph = try RecordEncoder().encode(holder)
        #expect(try RecordDecoder().decode(HandedOn.self, from: graph) == holder)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        #expect(try await RecordDecoder().decode(HandedOn.self, named: "h", in: database) == holder)
    }
}
