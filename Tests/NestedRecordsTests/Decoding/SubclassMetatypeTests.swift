import Foundation
import NestedRecords
import TestSupport
import Testing

/// A metatype of a class may be that of a subclass: what is decoded is an instance of the subclass, as in JSON.
///
/// Not in keyed containers: the standard library passes the metatype of the class to the decoder.
@Suite struct SubclassMetatypeTests {
    class Vehicle: Codable {
        var wheels: Int
        init(wheels: Int) { self.wheels = wheels }
    }

    final class Truck: Vehicle {
        var load: Int
        init(wheels: Int, load: Int) {
            self.load = load
            super.init(wheels: wheels)
        }
        enum CodingKeys: CodingKey { case load }
        required init(from decoder: any Decoder) throws {
            load = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .load)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(load, forKey: .load)
            try super.encode(to: encoder)
        }
    }

    struct Single: Codable {
        var vehicle: Vehicle
        init(_ vehicle: Vehicle) { self.vehicle = vehicle }
        init(from decoder: any Decoder) throws {
            let type: Vehicle.Type = Truck.self
            vehicle = try decoder.singleValueContainer().decode(type)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(vehicle)
        }
    }

    struct Garage: RecordCodable, Identifiable {
        var id = "1"
        var list: [Vehicle] = [Truck(wheels: 4, load: 1), Truck(wheels: 6, load: 2)]
        var single = Single(Truck(wheels: 8, load: 3))
        var truck = Truck(wheels: 10, load: 4)

        init() {}
        init(from decoder: any Decoder) throws {
            let type: Vehicle.Type = Truck.self
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            self.list = [try list.decode(type)]
            if let vehicle = try list.decodeIfPresent(type) { self.list.append(vehicle) }
            single = try container.decode(Single.self, forKey: .single)
            truck = try container.decode(Truck.self, forKey: .truck)
        }

        var loads: [Int?] { (list + [single.vehicle, truck]).map { ($0 as? Truck)?.load } }
    }

    @Test func nestedValueIsOfTheSubclass() throws {
        let json = try JSONDecoder().decode(Garage.self, from: JSONEncoder().encode(Garage()))
        let records = try RecordDecoder().decode(Garage.self, from: RecordEncoder().encode(Garage()))
        #expect(json.loads == [1, 2, 3, 4])
        #expect(records.loads == json.loads)
    }

    class Animal: RecordCodable, Identifiable {
        var id: String
        init(id: String) { self.id = id }
    }

    final class Cat: Animal {}

    @Test func rootIsOfTheSubclass() async throws {
        let graph = try RecordEncoder().encode(Cat(id: "1"))
        let database = InMemoryRecordDatabase()
        try await database.save(graph, savePolicy: .overwrite)
        let type: Animal.Type = Cat.self
        #expect(try RecordDecoder().decode(type, from: graph) is Cat)
        #expect(try RecordDecoder().decodeAll(type, from: graph)[0] is Cat)
        #expect(try await RecordDecoder().decode(type, named: "1", in: database) is Cat)
        #expect(try RecordDecoder().decode(Cat.self, from: graph).id == "1")
    }

    @Test func valuesOfADatabaseAreOfTheSubclass() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Cat(id: "1"))
        let type: Animal.Type = Cat.self
        #expect(try await database.values.query(type).all().map(\.value).allSatisfy { $0 is Cat })
        var ids: [String] = []
        for try await cat in database.values.query(type).values() { ids.append(cat.id) }
        #expect(ids == ["1"])
        #expect(try await database.values.fetch(type, named: "1").value is Cat)
        try await database.values.update(type, named: "1") { #expect($0 is Cat) }
        #expect(try await database.values.delete(type, named: "1", .dangling).count == 1)
    }

    struct Pet: Codable {
        var animal: Animal
        init(_ animal: Animal) { self.animal = animal }
        init(from decoder: any Decoder) throws {
            let type: Animal.Type = Cat.self
            animal = try decoder.singleValueContainer().decode(type)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(animal)
        }
    }

    struct Owner: RecordCodable, Identifiable {
        var id = "1"
        var pets = [Pet(Cat(id: "2")), Pet(Cat(id: "3"))]
    }

    @Test func nestedRecordIsOfTheSubclass() async throws {
        let graph = try RecordEncoder().encode(Owner())
        #expect(try RecordDecoder().decode(Owner.self, from: graph).pets.allSatisfy { $0.animal is Cat })
        let database = InMemoryRecordDatabase()
        try await database.save(graph, savePolicy: .overwrite)
        let owner = try await RecordDecoder().decode(Owner.self, named: "1", in: database)
        #expect(owner.pets.allSatisfy { $0.animal is Cat })
    }

    struct Yard: RecordCodable {
        var recordName: String { "yard" }
        var vehicle: Single
    }

    @Test func subclassOfAFlattenedValueIsDecoded() throws {
        var decoder = RecordDecoder()
        decoder.coding.embeddingStrategy = .flattened()
        let yard = Yard(vehicle: Single(Truck(wheels: 8, load: 3)))
        let graph = try RecordEncoder(decoder.coding).encode(yard)
        let decoded = try decoder.decode(Yard.self, from: graph).vehicle.vehicle
        #expect((decoded as? Truck)?.load == 3)
        #expect(decoded.wheels == 8)
    }
}
