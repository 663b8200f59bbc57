import Foundation
import NestedRecords
import Testing

@Suite struct DatabaseErrorDetailTests {
    private let id: Record.ID

    init() throws { id = try Record.ID("Pupil/1") }

    @Test func recordIsThatOfTheDetailOrOfTheContextUnlessItIsStated() throws {
        let other = try Record.ID("Pupil/2")
        let record = try Record(id: id)
        let reference = DanglingReference(target: id, context: RecordContext(record: other))
        for detail in [.versions(client: record), .versions(server: record), .references([reference])]
            as [RecordDatabaseError.Detail]
        {
            #expect(RecordDatabaseError(.conflict, detail).recordID == id)
            #expect(RecordDatabaseError(.conflict, detail, recordID: other).recordID == other)
        }
        #expect(RecordDatabaseError(.valueTaken, context: RecordContext(record: id, field: "a")).recordID == id)
        #expect(RecordDatabaseError(.closed, .system(operation: "save")).recordID == nil)
    }

    @Test func eachPropertyReadsItsDetailAndNoOther() throws {
        let record = try Record(id: id)
        let metadata = Record.Metadata(changeTag: "a", creationDate: .now, modificationDate: .now)
        let reference = DanglingReference(target: id, context: RecordContext())
        let details: [RecordDatabaseError.Detail] = [
            .versions(client: record, server: record), .saved([id: metadata]), .deleted([id]), .references([reference]),
            .missing(.conditions), .expiry(.purged), .batch("b"), .size(2, limit: 1), .offset(7), .version(2),
            .system(operation: "open", code: "2"),
        ]
        for (position, detail) in details.enumerated() {
            let error = RecordDatabaseError(.refused, detail)
            #expect((error.clientRecord == record) == (position == 0))
            #expect((error.serverRecord == record) == (position == 0))
            #expect((error.savedMetadata == [id: metadata]) == (position == 1))
            #expect((error.deletedIDs == [id]) == (position == 2))
            #expect((error.references.first?.target == id) == (position == 3))
            #expect((error.missingCapabilities == .conditions) == (position == 4))
            #expect((error.expiry == .purged) == (position == 5))
            #expect((error.batchID == "b") == (position == 6))
        }
    }
}
