import NestedRecords
import Testing

/// Classes whose instances state the types of their records.
@Suite struct DynamicSubclassTests {
    class Part: DynamicRecordRepresentable, Codable {
        var recordType: String
        var recordName: String
        enum CodingKeys: CodingKey {}
        init(_ type: String, _ name: String) { (recordType, recordName) = (type, name) }
        required init(from decoder: any Decoder) throws {
            let id = try #require(decoder.userInfo[.recordID] as? Record.ID)
            (recordType, recordName) = (id.type, id.name)
        }
    }

    final class Wheel: Part {
        var size = 7
        enum CodingKeys: CodingKey { case size }
        override init(_ type: String, _ name: String) { super.init(type, name) }
        required init(from decoder: any Decoder) throws {
            size = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .size)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(size, forKey: .size)
        }
        static let recordType = "Wheel"
    }

    struct Car: RecordCodable, Identifiable {
        var id = 1
        var part: Part
    }

    @Test func registeredSubclassIsNotReadAsItsSuperclass() throws {
        let graph = try RecordEncoder().encode(Car(part: Wheel("Wheel", "w")))
        var decoder = RecordDecoder()
        decoder.coding.register(Wheel.self)
        #expect(try decoder.decode(Car.self, from: graph).part is Wheel)
    }
}
