import Foundation
import NestedRecords
import TestSupport
import Testing

/// Two Swift types over the same records, one with wrappers and one without.
@Suite struct WrapperViewTests {
    struct Named: RecordCodable, Identifiable, Equatable {
        static let recordType = "Note"
        @RecordName var id: String
        @ExplicitNull var text: String?
        @ServerTimestamp var time: Date?
        var metadata: Record.Metadata?
        var next: RecordLink<Named>?
    }

    final class Plain: RecordCodable, Identifiable {
        static let recordType = "Note"
        @RecordName var id: String
        var text: String?
        var time: Date?
        var next: Plain?
        var metadata: Record.Metadata?
    }

    struct Stored: RecordCodable, Identifiable {
        static let recordType = "Note"
        var id: String
    }

    struct Both: RecordDecodable {
        static let recordType = "Both"
        @RecordName var id: String
        var recordName: String { id }
        var named: [Named]
        var plain: [Plain]
    }

    struct Writer: RecordCodable {
        static let recordType = "Both"
        var recordName: String { "b" }
        var named: [Named]
        var plain: [Named]
    }

    private let noon = Date(timeIntervalSinceReferenceDate: 43_200)

    @Test(arguments: [EmbeddingStrategy.map, .flattened()], [KeyStrategy.unchanged, .snakeCase])
    func eachTypeReadsTheRecordInItsWay(_ strategy: EmbeddingStrategy, _ keys: KeyStrategy) async throws {
        var (encoder, decoder) = coders(.flattened(), keys: keys)
        (encoder.coding.embeddingStrategy, decoder.coding.embeddingStrategy) = (strategy, strategy)
        let last = Named(id: "z", text: "end", time: .distantPast)
        let first = Named(id: "a", text: nil, time: nil, next: try RecordLink(holding: last))
        let memory = InMemoryRecordDatabase(now: { [noon] in noon })
        try await memory.save(encoder.encode(Writer(named: [first], plain: [first, last])))
        let database = CountingDatabase(memory)
        for _ in 1...2 {
            database.forgetCalls()
            let both = try await decoder.decode(Both.self, named: "b", in: database)
            #expect(both.named[0].time == noon)
            #expect(both.named[0].metadata != nil)
            #expect(both.plain[0].metadata == both.named[0].metadata)
            #expect(both.plain[0].text == nil)
            #expect(both.plain[0].time == noon)
            #expect(both.plain[0].next === both.plain[1])
            #expect(both.named[0].next?.id.name == "z")
            #expect(database.sortedCalls == [["Both/b"], ["Note/a", "Note/z"]])
        }
    }

    @Test func nameThatIsStoredDiffersFromOneThatIsNot() throws {
        struct Pair: RecordEncodable {
            var recordName: String { "pair" }
            var one: Named
            var other: Stored
        }
        let error = #expect(throws: RecordError.self) {
            try RecordEncoder().encode(Pair(one: Named(id: "a", text: nil, time: nil), other: Stored(id: "a")))
        }
        #expect(error?.code == .conflict)
        #expect(error?.recordID?.description == "Note/a")
        #expect(error?.firstPath.map(\.stringValue) == ["one"])
        #expect(error?.secondPath.map(\.stringValue) == ["other"])
    }
}
