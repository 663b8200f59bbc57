import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP
import Testing

@testable import records

@Suite struct UndoRecorderTests {
    /// Saves a number in a record, as a command does.
    private func change(
        _ database: FileRecordDatabase, to number: Int, bytes: Int = 0, limit: Int = UndoStep.maximumByteCount
    ) async throws {
        let step = UndoStep(of: "set", isComplete: true)
        let recorder = try await UndoRecorder(
            database, named: "a.records", for: step, maximumByteCount: limit, console: nil)
        let text = Record.Value.string(String(repeating: "x", count: bytes))
        let record = try Record(id: Record.ID("A/1"), fields: ["n": .int(Int64(number)), "text": text])
        let versions = try await recorder.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        #expect(versions.keys.map(\.type) == ["A"])
    }

    private func systemRecordCount(_ database: FileRecordDatabase) async throws -> Int {
        var count = 0
        for try await record in database.records(ofType: nil, including: .system) {
            if record.id.isReserved { count += 1 }
        }
        return count
    }

    @Test func oldestStepsAreDropped() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        for number in 1...25 { try await change(database, to: number) }
        #expect(try await UndoStep.all(in: database).count == 20)
        #expect(try await systemRecordCount(database) == 40)
        for number in (5...24).reversed() {
            let steps = try await UndoStep.all(in: database)
            let plan = try await UndoPlan(steps[0], in: database, named: "a.records")
            #expect(plan.batch.saves.map { $0["n"] } == [.int(Int64(number))])
            try await database.commit(plan.batch)
        }
        #expect(try await systemRecordCount(database) == 0)
    }

    @Test func stepsHaveAtMostAMaximumOfBytes() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        for number in 1...6 { try await change(database, to: number, bytes: 1_000, limit: 3_500) }
        #expect(try await UndoStep.all(in: database).count == 3)
        // A part is about a megabyte, and a change may need several.
        var batch = RecordBatch()
        for number in 1...5 {
            let text = Record.Value.string(String(repeating: "y", count: 400_000))
            batch.saves.append(try Record(id: Record.ID("B/\(number)"), fields: ["text": text]))
        }
        try await database.commit(batch)
        let step = UndoStep(of: "delete", isComplete: true)
        let recorder = try await UndoRecorder(database, named: "a.records", for: step, console: nil)
        try await recorder.commit(RecordBatch(deletingAnyVersionOf: batch.saves.map(\.id)))
        let last = try #require(try await UndoStep.all(in: database).first)
        #expect(last.partCount == 2 && last.count == 5 && last.byteCount > 2_000_000)
        let plan = try await UndoPlan(last, in: database, named: "a.records")
        try await database.commit(plan.batch)
        #expect(try await database.count(RecordQuery("B")) == 5)
    }

    @Test func changeThatIsTooLargeToKeepNeedsConsent() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        try await change(database, to: 1, bytes: 1_000)
        await #expect(throws: InputError.self) { try await change(database, to: 2, limit: 900) }
        #expect(try await database.record(for: Record.ID("A/1"))?["n"] == 1)
        #expect(try await UndoStep.all(in: database).map(\.count) == [1])
    }

    @Test func stepOfSeveralBatchesIsCompleteAtItsEnd() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        let step = UndoStep(of: "migrate", isComplete: false)
        let recorder = try await UndoRecorder(database, named: "a.records", for: step, console: nil)
        let id = try Record.ID("A/1")
        try await recorder.commit(RecordBatch(saving: [try Record(id: id, fields: ["n": 1])]))
        try await recorder.commit(RecordBatch(saving: [try Record(id: id, fields: ["n": 2])], savePolicy: .overwrite))
        #expect(try await UndoStep.all(in: database).map(\.isComplete) == [false])
        try await recorder.finish()
        let last = try #require(try await UndoStep.all(in: database).first)
        #expect(last.isComplete && last.count == 1 && last.partCount == 2)
        let plan = try await UndoPlan(last, in: database, named: "a.records")
        #expect(plan.batch.saves.isEmpty && plan.difference.removed.map(\.id) == [id])
    }

    @Test func conflictOfABatchLeavesNoStep() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        try await change(database, to: 1)
        let step = UndoStep(of: "set", isComplete: true)
        let recorder = try await UndoRecorder(database, named: "a.records", for: step, console: nil)
        let record = try Record(id: Record.ID("A/1"), fields: ["n": 2])
        await #expect(throws: RecordDatabaseError.self) { try await recorder.commit(RecordBatch(saving: [record])) }
        #expect(!recorder.hasStep)
        #expect(try await UndoStep.all(in: database).count == 1)
    }

    @Test func databaseWithLimitedCommitsKeepsNoSteps() throws {
        let url = try #require(URL(string: "http://localhost:1"))
        #expect(!UndoStep.areKept(by: RemoteRecordDatabase(url)))
        #expect(UndoStep.areKept(by: InMemoryRecordDatabase()))
    }
}
