import Foundation
import NestedRecords
import Testing

@Suite struct RecordTests {
    private let id: Record.ID
    private let metadata = Record.Metadata(
        changeTag: "1", creationDate: Date(timeIntervalSinceReferenceDate: 1),
        modificationDate: Date(timeIntervalSinceReferenceDate: 2))

    init() throws { id = try Record.ID("School/hogwarts") }

    @Test func newRecordHasNeitherFieldsNorMetadata() throws {
        let record = try Record(id: id)
        #expect(record.id == id)
        #expect(record.fields.isEmpty)
        #expect(record.metadata == nil)
        #expect(record["name"] == nil)
    }

    @Test func subscriptReadsWritesAndRemovesFields() throws {
        var record = try Record(id: id, fields: ["name": .string("Hogwarts")])
        #expect(record["name"] == .string("Hogwarts"))
        record["name"] = .null
        #expect(record.fields == ["name": .null])
        record["motto"] = .string("…")
        #expect(record.fields.map(\.name) == ["name", "motto"])
        record["name"] = nil
        #expect(record.fields == ["motto": .string("…")])
    }

    @Test func fieldWithoutANameIsRefused() throws {
        let error = try #require(throws: RecordError.self) { try Record(id: id, fields: ["a": .null, "": .null]) }
        #expect(error.code == .invalidKey && error.key == "" && error.reason == "a field's name must not be empty")
        #expect(error.context.record == id)
    }

    @Test func namesInMapsMayBeEmpty() throws {
        let record = try Record(id: id, fields: ["map": .map(["": .int(1)])])
        #expect(record["map"] == .map(["": .int(1)]))
    }

    @Test func metadataCanBeSetChangedAndRemoved() throws {
        var record = try Record(id: id, metadata: metadata)
        #expect(record.metadata == metadata)
        let copy = record
        record.metadata?.changeTag = "2"
        #expect(record.metadata?.changeTag == "2")
        #expect(record.metadata?.creationDate == metadata.creationDate)
        #expect(copy.metadata == metadata)
        record.metadata = nil
        #expect(record.metadata == nil)
        #expect(try record == Record(id: id))
    }

    @Test func equalityComparesIDFieldsAndMetadata() throws {
        let record = try Record(id: id, fields: ["a": .int(1), "b": .int(2)], metadata: metadata)
        var reordered = try Record(id: id, fields: ["b": .int(2), "a": .int(1)], metadata: metadata)
        #expect(record == reordered)
        #expect(record.hashValue == reordered.hashValue)
        #expect(try record != Record(id: Record.ID("School/other"), fields: record.fields, metadata: metadata))
        reordered.metadata?.changeTag = "2"
        #expect(record != reordered)
        reordered.metadata = nil
        #expect(record != reordered)
        reordered.metadata = metadata
        reordered["a"] = .double(1)
        #expect(record != reordered)
    }

    @Test func referencesAreFoundInOrderAtAnyDepth() throws {
        let targets = try (1...4).map { Record.Reference(to: try Record.ID("A/\($0)"), isLink: $0 % 2 == 0) }
        let record = try Record(
            id: id,
            fields: [
                "z": .reference(targets[0]), "name": .string("A/9"),
                "list": .list([.int(1), .reference(targets[1]), .map(["deep": .list([.reference(targets[2])])])]),
                "again": .reference(targets[0]), "a": .map(["b": .reference(targets[3])]),
            ])
        #expect(record.references == [targets[0], targets[1], targets[2], targets[0], targets[3]])
        #expect(try Record(id: id).references.isEmpty)
    }
}
