import NestedRecords
import TestSupport
import Testing

@Suite struct RegisteredIdentityTests {
    class Animal: RecordCodable, Identifiable {
        @RecordName var id: String
        init(id: String) { self.id = id }
    }

    final class Cat: Animal {
        var friend: Animal?
        enum CodingKeys: CodingKey { case friend }
        override init(id: String) { super.init(id: id) }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            friend = try container.decodeIfPresent(Animal.self, forKey: .friend)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(friend, forKey: .friend)
            try super.encode(to: encoder)
        }
    }

    struct Owner: RecordCodable, Identifiable {
        var id = 1
        var pets: [Animal]
        var cat: Cat?
    }

    @Test func recordIsOneInstanceWhateverTheStaticType() throws {
        let tom = Cat(id: "tom")
        let graph = try RecordEncoder().encode(Owner(pets: [tom], cat: tom))
        var decoder = RecordDecoder()
        decoder.register(Cat.self)
        decoder.register(fallback: Animal.self)
        let owner = try decoder.decode(Owner.self, from: graph)
        #expect(owner.pets[0] === owner.cat)
    }

    @Test func registeredObjectsInARingAreAnError() async throws {
        let (tom, kit) = (Cat(id: "tom"), Cat(id: "kit"))
        (tom.friend, kit.friend) = (kit, tom)
        defer { kit.friend = nil }
        let graph = try RecordEncoder.allowingCycles.encode(Owner(pets: [tom], cat: nil))
        var decoder = RecordDecoder()
        decoder.register(Cat.self)
        let database = try await CountingDatabase(holding: graph)
        await #expect {
            try await decoder.decode(Owner.self, named: "1", in: database)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .referenceCycle, case let ring = error.cycle,
                case let place = error.context
            else { return false }
            return ring.map { "\($0.record)" } == ["Cat/tom", "Cat/kit", "Cat/tom"]
                && place.keys == ["pets", "Index 0", "friend", "friend"]
        }
        #expect(database.asked.count == Set(database.asked).count)
    }

    @Test func longChainOfRegisteredObjectsObeysTheLimit() async throws {
        var cat = Cat(id: "400")
        for number in (1..<400).reversed() {
            let next = Cat(id: "\(number)")
            next.friend = cat
            cat = next
        }
        let graph = try RecordEncoder().encode(Owner(pets: [cat]))
        let database = try await CountingDatabase(holding: graph)
        var decoder = RecordDecoder()
        decoder.register(Cat.self)
        #expect(try await decoder.decode(Owner.self, named: "1", in: database).pets[0].id == "1")
        decoder.maximumDepth = 50
        await #expect {
            try await decoder.decode(Owner.self, named: "1", in: database)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .depthLimitExceeded, error.limit == 50 else {
                return false
            }
            return true
        }
        decoder.maximumDepth = 1_000
        decoder.maximumRecords = 400
        await #expect {
            try await decoder.decode(Owner.self, named: "1", in: database)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .recordLimitExceeded, error.limit == 400 else {
                return false
            }
            return true
        }
    }

    class Shape: RecordCodable, Identifiable {
        static let recordType = "Shape"
        var id = 1
    }

    final class Circle: Shape {
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
        var shape: Shape
    }

    @Test func subclassWithTheRecordTypeOfItsSuperclassIsNotLostSilently() throws {
        guard let graph = try? RecordEncoder().encode(Drawing(shape: Circle())) else { return }
        var decoder = RecordDecoder()
        decoder.register(Circle.self)
        #expect(try decoder.decode(Drawing.self, from: graph).shape is Circle)
    }
}
