import Foundation
import NestedRecords
import TestSupport
import Testing

/// What `print` and `dump` say about values of the library.
@Suite struct PrintAndDumpTests {
    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    private func graph() throws -> RecordGraph {
        try RecordGraph([
            Flat.record("Shelf/1", ["books": Flat.references(["Book/1"])]), Flat.record("Book/1", ["title": "Tides"]),
        ])
    }

    @Test func recordsAndFields() throws {
        let record = try Flat.record("Book/1", ["title": "Tides", "pages": 80])
        #expect("\(record)" == "Book/1\n    title: \"Tides\"\n    pages: 80")
        #expect(dumped(record) == "- \(record)\n")
        #expect("\(record.fields)" == "{title: \"Tides\", pages: 80}")
        #expect(dumped(record.fields) == "- {title: \"Tides\", pages: 80}\n")
    }

    @Test func graphs() throws {
        let graph = try graph()
        #expect(
            "\(graph)" == """
                Book/1
                    title: "Tides"
                Shelf/1
                    books: [→ Book/1]
                """)
        #expect(
            dumped(graph) == """
                ▿ 2 elements
                  - Book/1
                    title: "Tides"
                  - Shelf/1
                    books: [→ Book/1]

                """)
    }

    @Test func coders() {
        var coding = RecordCoding()
        let plain = """
            RecordCoding(keyStrategy: unchanged, embeddingStrategy: map, convertsScalars: false, maximumDepth: 1000, \
            maximumRecords: 1000000, omitsDanglingReferences: false)
            """
        #expect("\(coding)" == plain)
        #expect(dumped(coding) == "- \(plain)\n")
        #expect(dumped(RecordEncoder(coding)) == "- RecordEncoder with \(plain)\n")
        coding.keyStrategy = .custom { $0.uppercased() }
        coding.embeddingStrategy = .flattened()
        coding.omitsDanglingReferences = true
        coding.maximumRecords = .max
        let text = """
            RecordCoding(keyStrategy: custom, embeddingStrategy: flattened(separator: "_"), convertsScalars: false, \
            maximumDepth: 1000, maximumRecords: unlimited, omitsDanglingReferences: true)
            """
        #expect("\(coding)" == text)
        #expect("\(RecordDecoder(coding))" == "RecordDecoder with \(text)")
        #expect(dumped(RecordDecoder(coding)) == "- RecordDecoder with \(text)\n")
    }

    /// Dumps its coders and their containers while it is coded.
    struct Dumping: RecordCodable {
        var recordName: String { "dumping" }
        var list = [1]
        enum CodingKeys: CodingKey { case list, single }

        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            Self.show(decoder, container, list, try decoder.singleValueContainer(), try list.superDecoder())
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            let single = container.superEncoder(forKey: .single).singleValueContainer()
            Self.show(encoder, container, list, single, list.superEncoder())
        }

        private static func show(_ values: Any...) {
            for value in values {
                var text = ""
                dump(value, to: &text)
                #expect(!text.isEmpty && !"\(value)".isEmpty && !String(reflecting: value).isEmpty)
            }
        }
    }

    @Test func codersAndContainersThatAreInUse() throws {
        _ = try RecordDecoder().decode(Dumping.self, from: RecordEncoder().encode(Dumping()))
    }

    struct Shelf: RecordCodable, Identifiable {
        var id: String
        var books: [Book]
    }

    struct Book: RecordCodable, Identifiable {
        var id: String
    }

    @Test func resolutionsWithTheirCounts() async throws {
        let graph = try RecordEncoder().encode(Shelf(id: "1", books: [Book(id: "1")]))
        let memory = try await InMemoryRecordDatabase.holding(graph)
        _ = try await memory.values.fetch(Shelf.self, named: "1").value
        let resolution = try await RecordDecoder().resolve(Shelf.self, from: Record.ID("Shelf/1"), in: memory)
        #expect("\(resolution)" == "Shelf from 2 records: 2 calls, 2 levels, 1 pass")
        let text = dumped(resolution)
        #expect(text.hasPrefix("▿ Shelf from 2 records: 2 calls, 2 levels, 1 pass\n  ▿ value: "))
        #expect(text.hasSuffix("\n  - dropped: 0 elements\n"))
    }

    @Test func resolutionsWithWhatWasLeftOut() throws {
        let shelf = Shelf(id: "1", books: (1...5).map { Book(id: "\($0)") })
        let graph = try RecordGraph(RecordEncoder().encode(shelf).filter { $0.id.type == "Shelf" })
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        let resolution = try decoder.resolve(Shelf.self, from: graph)
        #expect(
            "\(resolution)" == """
                Shelf from 1 record: 0 calls, 0 levels, 1 pass
                left out: \(resolution.dropped[0])
                left out: \(resolution.dropped[1])
                left out: \(resolution.dropped[2])
                and 2 more references
                """)
    }

    @Test func databasesInMemory() async throws {
        let empty = InMemoryRecordDatabase(batchLimit: 10)
        #expect("\(empty)" == "InMemoryRecordDatabase with 0 records, at most 10 in one call")
        let memory = try await InMemoryRecordDatabase.holding([Flat.record("A/1")])
        #expect("\(memory)" == "InMemoryRecordDatabase with 1 record")
        #expect(dumped(memory) == "- InMemoryRecordDatabase with 1 record #0\n")
        #expect("\(memory.records(ofType: nil))" == "Sequence of Record (read when iterated)")
        #expect(dumped(memory.records(ofType: nil)) == "- Sequence of Record (read when iterated)\n")
    }

    @Test func conflicts() throws {
        var client = try Flat.record("Pupil/ann", ["age": 8, "name": "Ann"])
        var server = try Flat.record("Pupil/ann", ["age": 9, "name": "Ann"])
        server.metadata = Record.Metadata(changeTag: "3", creationDate: .distantPast, modificationDate: .distantPast)
        let ancestor = try Flat.record("Pupil/ann", ["name": "Ann"])
        let conflict = SaveConflict(client: client, server: server, ancestor: ancestor)
        let text = """
            Pupil/ann: version none to save, version 3 in the database
                age: 8 to save, 9 in the database, absent before
            """
        #expect("\(conflict)" == text)
        #expect(dumped(conflict) == "- \(text)\n")
        #expect(dumped(conflict.contestedFields[0]) == "- age: 8 to save, 9 in the database, absent before\n")
        client["age"] = 9
        #expect(
            "\(SaveConflict(client: client, server: server))"
                == "Pupil/ann: version none to save, version 3 in the database")
    }

    @Test func deletionPlans() async throws {
        let memory = try await InMemoryRecordDatabase.holding(graph())
        let plan = try await memory.deletionPlan(for: [Record.ID("Book/1")])
        let text = """
            1 record to delete: Book/1
            prevents the deletion: \(plan.dangling[0].words)
            """
        #expect("\(plan)" == text)
        #expect(dumped(plan) == "- \(text)\n")
    }
}
