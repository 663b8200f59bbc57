import NestedRecords
import TestSupport
import Testing

@Suite struct SubclassTests {
    class Animal: RecordCodable, Identifiable {
        @RecordName var id: String
        var name: String
        init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    final class Cat: Animal {
        var lives: Int
        init(id: String, name: String, lives: Int) {
            self.lives = lives
            super.init(id: id, name: name)
        }
        enum CodingKeys: CodingKey { case lives }
        required init(from decoder: any Decoder) throws {
            lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lives, forKey: .lives)
            try super.encode(to: encoder)
        }
    }

    final class Dog: Animal {
        var friend: Animal?
        enum CodingKeys: CodingKey { case friend }
        init(id: String, name: String, friend: Animal?) {
            self.friend = friend
            super.init(id: id, name: name)
        }
        required init(from decoder: any Decoder) throws {
            friend = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Animal.self, forKey: .friend)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(friend, forKey: .friend)
            try super.encode(to: encoder)
        }
    }

    struct Owner: RecordCodable, Identifiable {
        @RecordName var id: String
        var pets: [Animal]
        var favourite: Animal?
        var cat: Cat?
    }

    private static var registered: RecordDecoder {
        var decoder = RecordDecoder()
        decoder.coding.register(Cat.self, Dog.self)
        return decoder
    }

    private static func owner() -> Owner {
        let tom = Cat(id: "tom", name: "Tom", lives: 9)
        let rex = Dog(id: "rex", name: "Rex", friend: tom)
        return Owner(id: "ada", pets: [tom, rex, Animal(id: "it", name: "It")], favourite: rex, cat: tom)
    }

    @Test func instancesAreRecordsOfTheirOwnClass() throws {
        let graph = try RecordEncoder().encode(Self.owner())
        #expect(graph.map(\.id.description) == ["Cat/tom", "Dog/rex", "Animal/it", "Owner/ada"])
        #expect(try graph[Record.ID("Cat/tom")]?.fields == ["lives": 9, "name": "Tom"])
        #expect(try Record.ID(of: Self.owner().pets[0]).description == "Cat/tom")
        #expect(try RecordEncoder().encode(Self.owner().pets[0]).roots.map(\.description) == ["Cat/tom"])
    }

    @Test func registeredClassesComeBackAsSharedInstances() async throws {
        let graph = try RecordEncoder().encode(Self.owner())
        let database = try await CountingDatabase(holding: graph)
        for owner in [
            try Self.registered.decode(Owner.self, from: graph),
            try await Self.registered.decode(Owner.self, named: "ada", in: database),
        ] {
            let tom = try #require(owner.pets[0] as? Cat)
            let rex = try #require(owner.pets[1] as? Dog)
            #expect(tom.lives == 9)
            #expect(tom === owner.cat)
            #expect(rex === owner.favourite)
            #expect(rex.friend === tom)
            #expect(type(of: owner.pets[2]) == Animal.self)
        }
        #expect(database.asked.count == Set(database.asked).count)
        database.forgetCalls()
        _ = try await Self.registered.decode(Owner.self, named: "ada", in: database)
        #expect(database.calls.count == 2)
    }

    @Test func unregisteredClassIsAnError() async throws {
        let graph = try RecordEncoder().encode(Self.owner())
        var decoder = RecordDecoder()
        decoder.coding.register(Cat.self)
        let database = try await CountingDatabase(holding: graph)
        for _ in 1...2 {
            let error = await #expect(throws: RecordError.self) {
                try await decoder.decode(Owner.self, named: "ada", in: database)
            }
            #expect(error?.code == .unregisteredType && error?.description.contains("as Animal") == true)
            #expect(error?.recordID?.description == "Dog/rex")
            #expect(error?.context.keys == ["pets", "Index 1"])
        }
    }

    @Test func fallbackIsUsedForUnknownTypes() throws {
        let graph = try RecordEncoder().encode(Self.owner())
        var decoder = RecordDecoder()
        decoder.coding.register(Cat.self)
        decoder.coding.register(fallback: Animal.self)
        let owner = try decoder.decode(Owner.self, from: graph)
        #expect(type(of: owner.pets[0]) == Cat.self)
        #expect(type(of: owner.pets[1]) == Animal.self)
        #expect(owner.pets[1].name == "Rex")
        #expect(owner.pets[1] === owner.favourite)
    }

    @Test func registeredTypeThatIsNotASubclassDoesNotFit() throws {
        struct Tool: RecordCodable, Identifiable {
            static let recordType = "Dog"
            var id: String
        }
        let graph = try RecordEncoder().encode(Self.owner())
        var decoder = RecordDecoder()
        decoder.coding.register(Tool.self, Cat.self)
        #expect(throws: RecordError.self) { try decoder.decode(Owner.self, from: graph) }
        decoder.coding.register(Dog.self)
        #expect(try decoder.decode(Owner.self, from: graph).pets[1] is Dog)
    }

    @Test func linkToASuperclassLoadsTheSubclass() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values(coding: Self.registered.coding).overwrite(Self.owner())
        let link = try RecordLink(holding: Self.owner().pets[0])
        #expect(link.id.description == "Cat/tom")
        let animal = try await database.values(coding: Self.registered.coding).fetch(link).value
        #expect((animal as? Cat)?.lives == 9)
    }

    @Test func missingSubclassRecordIsADanglingReference() async throws {
        let graph = try RecordEncoder().encode(Self.owner())
        let database = try await CountingDatabase(holding: graph.filter { $0.id.type != "Cat" })
        let error = await #expect(throws: RecordError.self) {
            try await Self.registered.decode(Owner.self, named: "ada", in: database)
        }
        #expect(error?.code == .danglingReference)
        #expect(error?.recordID?.description == "Cat/tom")
        var decoder = Self.registered
        decoder.coding.omitsDanglingReferences = true
        let owner = try await decoder.decode(Owner.self, named: "ada", in: database)
        #expect(owner.pets.map(\.name) == ["Rex", "It"])
        #expect(owner.cat == nil)
    }

    class Shape: RecordCodable, Identifiable {
        class var recordType: String { "Shape" }
        var id = 1
    }

    final class Circle: Shape {
        override class var recordType: String { "Round" }
    }

    @Test func statedTypeOfTheSubclassCounts() throws {
        let shape: Shape = Circle()
        #expect(try RecordEncoder().encode([shape])[0].id.description == "Round/1")
        #expect(try Record.ID(of: shape).description == "Round/1")
    }

    @Test func registeredObjectsInARingAreAnError() async throws {
        let (tom, kit) = (Dog(id: "tom", name: "", friend: nil), Dog(id: "kit", name: "", friend: nil))
        (tom.friend, kit.friend) = (kit, tom)
        defer { kit.friend = nil }
        let graph = try RecordEncoder.allowingCycles.encode(Owner(id: "ada", pets: [tom]))
        let database = try await CountingDatabase(holding: graph)
        let error = await #expect(throws: RecordError.self) {
            try await Self.registered.decode(Owner.self, named: "ada", in: database)
        }
        #expect(error?.code == .referenceCycle)
        #expect(error?.cycle.map { "\($0.record)" } == ["Dog/tom", "Dog/kit", "Dog/tom"])
        #expect(error?.context.codingPath.text == "pets.0.friend.friend")
        #expect(database.asked.count == Set(database.asked).count)
    }

    @Test func longChainOfRegisteredObjectsObeysTheLimits() async throws {
        let last = Dog(id: "400", name: "", friend: nil)
        let dog = (1..<400).reversed().reduce(last) { Dog(id: "\($1)", name: "", friend: $0) }
        let graph = try RecordEncoder().encode(Owner(id: "ada", pets: [dog]))
        let database = try await CountingDatabase(holding: graph)
        var decoder = Self.registered
        #expect(try await decoder.decode(Owner.self, named: "ada", in: database).pets[0].id == "1")
        for (depth, records, code) in [
            (50, 1_000, RecordError.Code.depthLimitExceeded), (1_000, 400, .recordLimitExceeded),
        ] {
            (decoder.coding.maximumDepth, decoder.coding.maximumRecords) = (depth, records)
            let error = await #expect(throws: RecordError.self) {
                try await decoder.decode(Owner.self, named: "ada", in: database)
            }
            #expect(error?.code == code && error?.limit == min(depth, records))
        }
    }

    class Figure: RecordCodable, Identifiable {
        static let recordType = "Figure"
        var id = 1
    }

    final class Disc: Figure {
        var radius = 5
        enum CodingKeys: CodingKey { case radius }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            radius = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .radius)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(radius, forKey: .radius)
            try super.encode(to: encoder)
        }
    }

    struct Drawing: RecordCodable, Identifiable {
        var id = 1
        var shape: Figure
    }

    @Test func subclassWithTheRecordTypeOfItsSuperclassIsNotLostSilently() throws {
        guard let graph = try? RecordEncoder().encode(Drawing(shape: Disc())) else { return }
        var decoder = RecordDecoder()
        decoder.coding.register(Disc.self)
        #expect(try decoder.decode(Drawing.self, from: graph).shape is Disc)
    }
}
