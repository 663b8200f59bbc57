import NestedRecords
import TestSupport
import Testing

/// What is fetched for records whose Swift type is registered.
@Suite struct RegisteredLearningTests {
    struct Toy: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
    }

    /// Follows the link.
    struct Following: RecordCodable, Identifiable, Equatable {
        static let recordType = "Cat"
        @RecordName var id: String
        var toy: Toy
    }

    struct Linking: RecordCodable, Identifiable, Equatable {
        static let recordType = "Cat"
        @RecordName var id: String
        var toy: RecordLink<Toy>
    }

    /// A record that is read as one type or as another.
    struct Pet<Model: RecordCodable>: RecordUnion {
        static var recordTypes: [any RecordDecodable.Type] { [Model.self] }
        var record: any RecordEncodable
        init?(record: any RecordDecodable) {
            guard let record = record as? any RecordCodable else { return nil }
            self.record = record
        }
        init(_ record: any RecordCodable) { self.record = record }
        init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not used"))
        }
        func encode(to encoder: any Encoder) throws {}
    }

    struct Owner<Model: RecordCodable>: RecordCodable, Identifiable {
        static var recordType: String { "Owner" }
        var id = 1
        var pets: [Pet<Model>]
    }

    @Test func decodersWithOtherTypesDoNotShareWhatTheyLearnt() async throws {
        let cat = Linking(id: "tom", toy: try RecordLink(holding: Toy(id: "ball")))
        let database = try await CountingDatabase(holding: RecordEncoder().encode(Owner(pets: [Pet<Linking>(cat)])))
        // Registering a type makes a decoder learn for itself.
        var following = RecordDecoder()
        following.coding.register(Following.self)
        let owner = try await following.decode(Owner<Following>.self, named: "1", in: database)
        #expect((owner.pets[0].record as? Following)?.toy == Toy(id: "ball"))
        var linking = RecordDecoder()
        linking.coding.register(Linking.self)
        database.forgetCalls()
        let other = try await linking.decode(Owner<Linking>.self, named: "1", in: database)
        #expect(other.pets[0].record as? Linking == cat)
        #expect(database.asked == ["Owner/1", "Cat/tom"])
    }

    /// Stands for records of every type.
    struct Thing: DynamicRecordRepresentable, Codable {
        var recordType: String
        var recordName: String
        var a: [Toy]
        var b: [Toy]
        var c: [Toy]
        enum CodingKeys: CodingKey { case a, b, c }
        init(_ type: String, _ name: String) {
            (recordType, recordName) = (type, name)
            a = [Toy(id: "a" + name)]
            b = [Toy(id: "b" + name)]
            c = [Toy(id: "c" + name)]
        }
        init(from decoder: any Decoder) throws {
            let id = try #require(decoder.userInfo[.recordID] as? Record.ID)
            (recordType, recordName) = (id.type, id.name)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            a = try container.decode([Toy].self, forKey: .a)
            b = try container.decode([Toy].self, forKey: .b)
            c = try container.decode([Toy].self, forKey: .c)
        }
    }

    struct Chest: RecordCodable, Identifiable {
        var id: String
        var things: [Pet<Thing>]
    }

    @Test func fallbackIsLearntForEveryTypeOfRecords() async throws {
        let things = (1...4).map { Pet<Thing>(Thing("Type\($0)", "\($0)")) }
        let database = try await CountingDatabase(holding: RecordEncoder().encode(Chest(id: "x", things: things)))
        var decoder = RecordDecoder()
        decoder.coding.register(fallback: Thing.self)
        let first = try await decoder.resolve(Chest.self, from: Record.ID("Chest/x"), in: database)
        #expect(first.value.things.compactMap { ($0.record as? Thing)?.c.first?.id } == ["c1", "c2", "c3", "c4"])
        // Each type of records that stands beside others may take another call the first time.
        #expect(first.callCount <= 6)
        let second = try await decoder.resolve(Chest.self, from: Record.ID("Chest/x"), in: database)
        #expect(second.callCount == 3)
        #expect(second.passCount == 1)
    }
}
