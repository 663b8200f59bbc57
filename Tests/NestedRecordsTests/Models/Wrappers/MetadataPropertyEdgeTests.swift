import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct MetadataPropertyEdgeTests {
    static func metadata(_ tag: String) -> Record.Metadata {
        Record.Metadata(changeTag: tag, creationDate: .distantPast, modificationDate: .distantPast)
    }

    struct Hidden: RecordCodable, Identifiable, Equatable {
        var id: String
        var metadata: Record.Metadata?
        static let schema = RecordSchema(ignoring: ["metadata"])
    }

    @Test func ignoredMetadataAreAbsent() throws {
        let graph = try RecordEncoder().encode(Hidden(id: "a", metadata: Self.metadata("1")))
        #expect(graph[0].metadata == nil)
        var record = graph[0]
        record.metadata = Self.metadata("2")
        #expect(try RecordDecoder().decode(Hidden.self, from: RecordGraph([record])).metadata == nil)
    }

    struct Twice: RecordCodable, Identifiable, Equatable {
        var id = "a"
        var metadata: Record.Metadata?
        var previous: Record.Metadata?
    }

    @Test(arguments: [metadata("1")], [metadata("1"), metadata("2")])
    func twoMetadataOfOneRecordAreEqualOrRefused(_ one: Record.Metadata?, _ other: Record.Metadata?) {
        let outcome = codingOutcome(Twice(metadata: one, previous: other), RecordEncoder(), RecordDecoder())
        #expect(outcome == (one == other ? .returned : .refused))
    }

    struct Versioned: RecordCodable, Identifiable, Equatable {
        var id: String
        var metadata: Record.Metadata?
        var metadata_version: Int
    }

    @Test(arguments: [metadata("1"), nil])
    func metadataTakeNoFieldsWhenFlattened(_ metadata: Record.Metadata?) throws {
        let (encoder, decoder) = coders(.flattened())
        let value = Versioned(id: "a", metadata: metadata, metadata_version: 5)
        let graph = try encoder.encode(value)
        #expect(graph[0].fields == ["id": "a", "metadata_version": 5])
        #expect(try decoder.decode(Versioned.self, from: graph) == value)
    }

    class Base: RecordCodable, Identifiable {
        @RecordName var id: String
        var metadata: Record.Metadata?
        var next: RecordLink<Base>?
        init(id: String) { self.id = id }
    }

    final class Under: Base {
        @ServerTimestamp var time: Date?
        enum CodingKeys: CodingKey { case time }
        override init(id: String) { super.init(id: id) }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _time = try container.decode(ServerTimestamp.self, forKey: .time)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(_time, forKey: .time)
        }
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func objectsInARingOfLinksKeepTheirMetadata(_ strategy: EmbeddingStrategy) throws {
        let (encoder, decoder) = coders(strategy)
        let (one, two) = (Base(id: "1"), Under(id: "2"))
        (one.metadata, two.metadata) = (Self.metadata("a"), Self.metadata("b"))
        (one.next, two.next) = (try RecordLink(holding: two), try RecordLink(holding: one))
        defer { one.next = nil }
        let graph = try encoder.encode(one)
        #expect(graph.map { "\($0.id) \($0.metadata?.changeTag ?? "")" } == ["Under/2 b", "Base/1 a"])
        let under = try decoder.decode(Under.self, from: graph, root: Record.ID("Under/2"))
        #expect(under.metadata == Self.metadata("b"))
        #expect(under.next?.id.description == "Base/1")
        #expect(under.id == "2")
    }

    /// Reads its metadata when it is asked for them.
    struct Late: RecordDecodable {
        static var recordType: String { "Under" }
        var recordName: String { "2" }
        let container: KeyedDecodingContainer<Keys>
        let superContainer: KeyedDecodingContainer<Keys>
        enum Keys: CodingKey { case id, metadata }
        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Keys.self)
            superContainer = try container.superDecoder().container(keyedBy: Keys.self)
        }
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func keptContainersKnowTheirRecord(_ strategy: EmbeddingStrategy) throws {
        let (encoder, decoder) = coders(strategy)
        let two = Under(id: "2")
        two.metadata = Self.metadata("b")
        let late = try decoder.decode(Late.self, from: encoder.encode(two))
        for container in [late.container, late.superContainer] {
            #expect(try container.decodeIfPresent(Record.Metadata.self, forKey: .metadata) == two.metadata)
            #expect(try container.decode(RecordName<String>.self, forKey: .id).wrappedValue == "2")
        }
    }
}
