import Foundation
import NestedRecords
import TestSupport
import Testing

/// Wrappers as values in all places, under all strategies.
@Suite struct WrapperPositionTests {
    struct Place: RecordCodable, Identifiable, Equatable {
        var id: String
        var times: [ServerTimestamp] = []
        var timesByName: [String: ServerTimestamp?] = [:]
        var optionalNull: ExplicitNull<Int>?
        var nulls: [ExplicitNull<Size>] = []
        var payload: Payload<ExplicitNull<Size>> = .none
        var timePayload: Payload<ServerTimestamp> = .none
        var names: [RecordName<String>] = []
        var nameOf: [String: RecordName<Int>] = [:]
        var nestedNull: Embedded<ExplicitNull<Size>>?
    }

    struct Size: Codable, Equatable {
        @ExplicitNull var width: Int?
        @ServerTimestamp var time: Date?
        var metadata: Record.Metadata?
    }

    static let metadata = Record.Metadata(
        changeTag: "1", creationDate: .distantPast, modificationDate: .distantFuture)

    static var places: [Place] {
        [
            Place(id: "empty"),
            Place(
                id: "full",
                times: [ServerTimestamp(wrappedValue: nil), ServerTimestamp(wrappedValue: .distantPast)],
                timesByName: ["a": ServerTimestamp(wrappedValue: .distantPast), "b": nil],
                optionalNull: ExplicitNull(wrappedValue: 1),
                nulls: [
                    ExplicitNull(wrappedValue: nil), ExplicitNull(wrappedValue: Size()),
                    ExplicitNull(wrappedValue: Size(width: 1, time: .distantPast, metadata: metadata)),
                ],
                payload: .two(left: ExplicitNull(wrappedValue: nil), right: ExplicitNull(wrappedValue: Size(width: 2))),
                timePayload: .one(ServerTimestamp(wrappedValue: nil)), names: [RecordName(wrappedValue: "full")],
                nameOf: ["full": RecordName(wrappedValue: 7)],
                nestedNull: Embedded(before: 1, value: ExplicitNull(wrappedValue: Size(metadata: metadata)), after: "")),
        ]
    }

    @Test(arguments: [0, 1], [EmbeddingStrategy.map, .flattened(), .flattened(separator: ".")])
    func wrapperComesBackFromEveryPlace(_ index: Int, _ strategy: EmbeddingStrategy) throws {
        let place = Self.places[index]
        for keys in [
            KeyStrategy.unchanged, .snakeCase, .custom({ "k" + $0 }, propertyName: { String($0.dropFirst()) }),
        ] {
            var (encoder, decoder) = coders(.flattened(), keys: keys)
            (encoder.coding.embeddingStrategy, decoder.coding.embeddingStrategy) = (strategy, strategy)
            let graph = try encoder.encode(place)
            #expect(graph[0].metadata == nil)
            #expect(try decoder.decode(Place.self, from: graph) == place)
        }
    }

    struct Timed: RecordCodable, Identifiable, Equatable {
        var id: String
        var time: ServerTimestamp?
    }

    @Test(arguments: [nil, ServerTimestamp(wrappedValue: nil), ServerTimestamp(wrappedValue: .distantPast)])
    func optionalTimestampComesBack(_ time: ServerTimestamp?) throws {
        let timed = Timed(id: "a", time: time)
        #expect(try RecordDecoder().decode(Timed.self, from: RecordEncoder().encode(timed)) == timed)
    }

    struct Alias: RecordCodable, Equatable {
        var recordName: String { "a" }
        var name: RecordName<String>?
    }

    @Test(arguments: [RecordName(wrappedValue: "a"), nil])
    func optionalNameIsTheRecordsName(_ name: RecordName<String>?) throws {
        let graph = try RecordEncoder().encode(Alias(name: name))
        #expect(graph[0].fields.isEmpty)
        #expect(try RecordDecoder().decode(Alias.self, from: graph).name?.wrappedValue == "a")
    }

    @Test func dictionaryThatIsARecordKeepsItsNames() {
        let same = RecordOf(["value": RecordName(wrappedValue: "value")])
        #expect(codingOutcome(same, RecordEncoder(), RecordDecoder()) == .returned)
        let other = RecordOf(["a": RecordName(wrappedValue: "b")])
        #expect(codingOutcome(other, RecordEncoder(), RecordDecoder()) == .returned)
    }

    @Test func dictionaryThatIsARecordKeepsItsMetadata() throws {
        let graph = try RecordEncoder().encode(RecordOf(["a": Self.metadata]))
        #expect(graph[0].metadata == nil)
        #expect(try RecordDecoder().decode(RecordOf<[String: Record.Metadata]>.self, from: graph).value.count == 1)
    }
}
