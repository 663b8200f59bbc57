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
        decoder.register(Cat.self, Dog.self)
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
        decoder.register(Cat.self)
        let database = try await CountingDatabase(holding: graph)
        for _ in 1...2 {
            await #expect {
                try await decoder.decode(Owner.self, named: "ada", in: database)
            } throws: { error in
                guard let error = error as? RecordError, error.code == .unregisteredType, let id = error.recordID,
                    error.expectedType == "Animal", case let place = error.context
                else { return false }
                return id.description == "Dog/rex" && place.keys == ["pets", "Index 1"]
                    && "\(error)"
                        == "no registered type decodes record Dog/rex as Animal, "
                        + "at 'pets[1]' in record Owner/ada, field 'pets'"
            }
        }
    }

    @Test func fallbackStandsForUnknownTypes() throws {
        let graph = try RecordEncoder().encode(Self.owner())
        var decoder = RecordDecoder()
        decoder.register(Cat.self)
        decoder.register(fallback: Animal.self)
        let owner = try decoder.decode(Owner.self, from: graph)
        #expect(type(of: owner.pets[0]) == Cat.self)
        #expect(type(of: owner.pets[1]) == Animal.self)
        #expect(owner.pets[1].name == "Rex")
        #expect(owner.pets[1] === owner.favourite)
    }

    @Test func registeredTypeThatIsNoSubclassDoesNotFit() throws {
        struct Tool: RecordCodable, Identifiable {
            static let recordType = "Dog"
            var id: String
        }
        let graph = try RecordEncoder().encode(Self.owner())
        var decoder = RecordDecoder()
        decoder.register(Tool.self, Cat.self)
        #expect(throws: RecordError.self) { try decoder.decode(Owner.self, from: graph) }
        decoder.register(Dog.self)
        #expect(try decoder.decode(Owner.self, from: graph).pets[1] is Dog)
    }

    @Test func linkToASuperclassLoadsTheSubclass() async throws {
        let database = InMemoryRecordDatabase()
        try await database.save(Self.owner())
        let link = try RecordLink(holding: Self.owner().pets[0])
        #expect(link.id.description == "Cat/tom")
        let animal = try await link.load(from: database, decoder: Self.registered)
        #expect((animal as? Cat)?.lives == 9)
    }

    @Test func missingSubclassRecordIsADanglingReference() async throws {
        let graph = try RecordEncoder().encode(Self.owner())
        let database = try await CountingDatabase(holding: graph.filter { $0.id.type != "Cat" })
        await #expect {
            try await Self.registered.decode(Owner.self, named: "ada", in: database)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .danglingReference, let target = error.recordID
            else { return false }
            return target.description == "Cat/tom"
        }
        var decoder = Self.registered
        decoder.danglingReferencePolicy = .omit
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
}
