import Dispatch
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsFile

/// Batches with a record that cannot be written, among others and after long records.
@Suite struct UnwritableBatchTests {
    private static let text = String(repeating: "x", count: 1_100_000)

    private func deep(_ nesting: Int) -> Record.Value {
        (0..<nesting).reduce(.null) { value, _ in .list([value]) }
    }

    private func record(_ id: String, _ fields: Record.Fields) throws -> Record {
        try Record(id: Record.ID(id), fields: fields)
    }

    /// A database whose first save waits until others are queued, and the number of bytes that it writes.
    private func modify(
        _ batches: [[Record]]
    ) async throws -> (database: FileRecordDatabase, failures: [Int: any Error], written: Int) {
        let folder = try TemporaryFolder()
        let (isBlocked, gate, written, syncCount) = (Lock(true), DispatchSemaphore(value: 0), Lock(0), Lock(0))
        var system = FileSystem()
        system.sync = { [sync = system.sync] descriptor in
            syncCount.withLock { $0 += 1 }
            if isBlocked.withLock({ $0 }) { gate.wait() }
            return sync(descriptor)
        }
        system.write = { [write = system.write] descriptor, bytes, offset in
            written.withLock { $0 += bytes.count }
            return write(descriptor, bytes, offset)
        }
        isBlocked.withLock { $0 = false }
        let database = try FileRecordDatabase(path: folder.path(), options: .init(), system: system)
        try await database.prepare()
        isBlocked.withLock { $0 = true }
        let openingCount = syncCount.withLock { $0 }
        async let first = database.save(RecordGraph([record("First/1", [:])]))
        while syncCount.withLock({ $0 }) == openingCount { await Task.yield() }
        let failures = Lock<[Int: any Error]>([:])
        let refused = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, batch) in batches.enumerated() {
                group.addTask {
                    do {
                        try await database.commit(RecordBatch(saving: batch, savePolicy: .overwrite))
                    } catch {
                        failures.withLock { $0[number] = error }
                        refused.withLock { $0 += 1 }
                    }
                }
            }
            while database.store.committer.waiting.count + refused.withLock({ $0 })
                < batches.count
            {
                await Task.yield()
            }
            written.withLock { $0 = 0 }
            isBlocked.withLock { $0 = false }
            gate.signal()
            try await group.waitForAll()
        }
        _ = try await first
        // The folder may go: the file is open.
        return (database, failures.withLock { $0 }, written.withLock { $0 })
    }

    @Test func nothingIsWrittenOfThemAndTheOthersOnce() async throws {
        let batches = try (0..<24).map { number in
            try [
                record("Long/\(number)", ["text": .string(Self.text)]),
                record("A/\(number)", ["value": number % 2 == 0 ? .null : deep(BinaryFormat.maximumNesting + 1)]),
            ]
        }
        let (database, failures, written) = try await modify(batches)
        #expect(failures.keys.sorted() == (0..<24).filter { $0 % 2 == 1 })
        for (number, error) in failures {
            let error = try #require(error as? RecordError)
            #expect(error.code == .depthLimitExceeded)
            #expect(error.context.record == batches[number][1].id)
            #expect(error.context.field == "value")
        }
        #expect(written < 13 * Self.text.utf8.count)
        #expect(try await database.allRecords.count == 25)
        #expect(try await database.verify() == [])
    }

    @Test func manyOfThemAreJustMany() async throws {
        let bad = try record("A/1", ["value": deep(BinaryFormat.maximumNesting + 1)])
        let long = try record("Long/1", ["text": .string(Self.text)])
        let count = Sweep.count(500, whole: 7_000)
        let (database, failures, written) = try await modify(Array(repeating: [long, bad], count: count))
        #expect(failures.count == count)
        #expect(written < 1_000)
        #expect(try await database.allRecords.count == 1)
    }

    /// A conflict is found when a part of the block is in the file already.
    @Test func batchesAfterLongFailedOnesLeaveNothing() async throws {
        var batches = try (0..<6).map { [try record("Long/\($0)", ["text": .string(Self.text)])] }
        let twice = [batches[0][0], batches[0][0]]
        batches.insert(twice, at: 3)
        batches.append([try record("Last/1", [:])])
        let (database, failures, _) = try await modify(batches)
        #expect(failures.keys.sorted() == [3])
        #expect(try await database.allRecords.count == 8)
        #expect(try await database.verify() == [])
    }

    @Test(arguments: [BinaryFormat.maximumNesting, BinaryFormat.maximumNesting + 1])
    func checkRefusesWhatWritingWouldRefuse(_ nesting: Int) throws {
        let marks = "a" + String(repeating: "\u{301}", count: BinaryFormat.mostMarksInARow + 1)
        let values: [Record.Value] = [
            deep(nesting), .list([.null, deep(nesting - 1)]), .map(["a": deep(nesting - 1)]), .map([marks: .null]),
            .list([.map(["a": .map([marks: .null])])]), .map(["": .null]), .list([]), .map([:]),
        ]
        for value in values {
            let record = try record("A/1", ["first": .null, "value": value])
            var (written, checked): (RecordError?, RecordError?)
            do throws(RecordError) { var writer = RecordWriter(); _ = try writer.bytes(of: record) } catch {
                written = error
            }
            do throws(RecordError) { try RecordWriter.check([record]) } catch { checked = error }
            #expect(written.map(String.init(describing:)) == checked.map(String.init(describing:)))
        }
        #expect(throws: RecordError.self) {
            try RecordWriter.check([Record(id: Record.ID("A/1"), fields: [marks: .null])])
        }
    }
}
