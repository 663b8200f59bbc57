import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RecordBatchTests {
    @Test func conditionsCountAsPartOfTheBatch() async throws {
        let database = InMemoryRecordDatabase(batchLimit: 2)
        var batch = RecordBatch(saving: [try Flat.record("A/1")], deletingAnyVersionOf: [try Record.ID("A/2")])
        batch.conditions = [RecordBatch.VersionedID(try Record.ID("A/3"), version: .missing)]
        #expect(batch.count == 3)
        let tooLarge = batch
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.commit(tooLarge) }
        #expect(error?.description == "the batch has 3 records, the database takes 2 at a time")
    }

    @Test func versionOfARecordIsItsTag() throws {
        var record = try Flat.record("A/1")
        #expect(RecordBatch.Version(of: record) == .missing)
        record.metadata = Record.Metadata(changeTag: "7", creationDate: .now, modificationDate: .now)
        #expect(RecordBatch.Version(of: record) == .changeTag("7"))
    }

    @Test func conditionsAreAboutTheStateBeforeTheBatch() async throws {
        let database = InMemoryRecordDatabase()
        let first = try Flat.record("A/1")
        let answer = try await database.commit(RecordBatch(saving: [first]))
        #expect(Array(answer.keys) == [first.id])
        var batch = RecordBatch(saving: [try Flat.record("A/2")])
        batch.deletions = [
            RecordBatch.VersionedID(first.id, version: .changeTag(try #require(answer[first.id]).changeTag))
        ]
        try await database.commit(batch)
        #expect(try await database.texts == ["A/2"])
    }
}
