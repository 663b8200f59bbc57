import TestSupport
import Testing

@testable import NestedRecords

@Suite struct FieldIndexTests {
    private struct Job: RecordCodable, Identifiable {
        var id: Int
        var owner: String
        var dueDate: Int
        static let recordType = "IndexedJob"
        static let schema = RecordSchema(indexes: [["owner", "dueDate"], ["dueDate"]])
    }

    private struct Misspelled: RecordCodable, Identifiable {
        var id: Int
        static let schema = RecordSchema(indexes: [["id", "ownr"]])
    }

    private struct Empty: RecordCodable, Identifiable {
        var id: Int
        static let schema = RecordSchema(indexes: [[]])
    }

    @Test func aSchemaDeclaresIndexes() throws {
        #expect(
            try FieldIndex.declared(by: Job.self)
                == [FieldIndex("IndexedJob", by: "owner", "dueDate"), FieldIndex("IndexedJob", by: "dueDate")])
        var coding = RecordCoding()
        coding.keyStrategy = .snakeCase
        #expect(
            try FieldIndex.declared(by: Job.self, coding: coding)
                == [FieldIndex("IndexedJob", by: "owner", "due_date"), FieldIndex("IndexedJob", by: "due_date")])
    }

    @Test func aNameThatIsNotAPropertyIsAnError() {
        let error = #expect(throws: RecordError.self) { try FieldIndex.declared(by: Misspelled.self) }
        #expect(error?.code == .invalidSchema && error?.description.contains("'ownr' is not a coding key") == true)
        #expect(throws: RecordError.self) { try RecordEncoder().encode(Misspelled(id: 1)) }
        let empty = #expect(throws: RecordError.self) { try FieldIndex.declared(by: Empty.self) }
        #expect(empty?.code == .invalidSchema)
    }

    @Test func storedNamesOfSeveralPathsAreReadBack() {
        let indexes = [
            FieldIndex("Book", by: "a", "b"), FieldIndex("Book", by: "a.b"), FieldIndex("Book", by: FieldPath(["a,b"])),
            FieldIndex("Book", by: "b", .modificationDate),
            FieldIndex("Book", by: "b", FieldPath(["@modificationDate"])),
            FieldIndex("Book", by: FieldPath(["a,"]), "b"), FieldIndex("Book", by: "a", FieldPath([",b"])),
        ]
        #expect(Set(indexes.map(\.storedName)).count == indexes.count)
        for index in indexes { #expect(FieldIndex(storedName: index.storedName) == index) }
    }
}
