import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What is asked for changes while the file is compacted, restored, damaged, or written by another process.
@Suite struct ChangeFollowingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    private func book(_ name: String, _ number: Int = 1, padding: Int = 0) throws -> Record {
        let text = String(repeating: "x", count: padding)
        return try Record(id: Record.ID("Book/\(name)"), fields: ["n": .int(Int64(number)), "text": .string(text)])
    }

    private func save(
        _ names: String..., deleting deleted: [String] = [], padding: Int = 0, in database: FileRecordDatabase
    ) async throws {
        try await database.commit(
            RecordBatch(
                saving: names.map { try book($0, padding: padding) },
                deletingAnyVersionOf: deleted.map { try book($0).id },
                savePolicy: .overwrite))
    }

    private func options(_ change: (inout FileRecordDatabase.Options) -> Void) -> FileRecordDatabase.Options {
        var options = FileRecordDatabase.Options()
        options.compactionThreshold = nil
        change(&options)
        return options
    }

    private func expiry(
        of token: ChangeToken, in database: FileRecordDatabase
    ) async throws -> ChangeToken.Expiry? {
        do {
            _ = try await database.changes(since: token, limit: 10)
            return nil
        } catch let error as RecordDatabaseError {
            return error.expiry
        }
    }

    /// What is written at an offset of the file.
    private func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    // MARK: Restored files

    @Test(arguments: [false, true]) func readerNoticesAFileThatWasRestored(isReplaced: Bool) async throws {
        // Until the batches that are lost take as many bytes as the new ones.
        for attempt in 0..<40 {
            let path = folder.path("\(attempt)")
            let first = try FileRecordDatabase(path: path)
            try await save("1", in: first)
            try await first.close()
            let backup = try Data(contentsOf: URL(fileURLWithPath: path))
            let second = try FileRecordDatabase(path: path)
            try await save("2", in: second)
            let reader = try FileRecordDatabase(path: path, options: .readOnly)
            let token = try await reader.changeToken()
            try await second.close()
            let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
            try backup.write(to: URL(fileURLWithPath: path), options: isReplaced ? .atomic : [])
            let third = try FileRecordDatabase(path: path)
            try await save("3", in: third)
            let isAligned = try Data(contentsOf: URL(fileURLWithPath: path)).count == size
            try await save("4", in: third)
            #expect(try await expiry(of: token, in: reader) == .wentBack, "attempt \(attempt)")
            #expect(try await reader.allRecords == third.allRecords)
            if isAligned { return }
        }
    }

    @Test func readerGoesOnAfterABatchWasTakenBackThatItHadSeen() async throws {
        let reading = Lock<LogStore?>(nil)
        var system = FileSystem()
        let sync = system.sync
        system.sync = { descriptor in
            guard let store = reading.withLock({ $0 }) else { return sync(descriptor) }
            reading.withLock { $0 = nil }
            _ = CompactionThread.wait { _ = try await store.reading { _ in try store.history.changeToken() } }
            return -Int(EIO)
        }
        let writer = try FileRecordDatabase(path: path, options: options { _ in }, system: system)
        try await save("1", in: writer)
        let reader = try FileRecordDatabase(path: path, options: .readOnly)
        let token = try await reader.changeToken()
        reading.withLock { $0 = reader.store }
        await #expect(throws: RecordDatabaseError.self) { try await save("2", padding: 300, in: writer) }
        #expect(try await reader.changes(since: token, limit: 10).isEmpty)
        try? await writer.close()
        let again = try FileRecordDatabase(path: path)
        for name in ["3", "4"] { try await save(name, in: again) }
        #expect(try await reader.changes(since: token, limit: 10).saved.map(\.id.name) == ["3", "4"])
    }

    @Test(.timeLimit(.minutes(60))) func readerHearsOfABatchWhoseHeaderIsWrittenLast() async throws {
        let lookCount = Lock<Int?>(nil)
        var (writing, reading) = (FileSystem(), FileSystem())
        let (write, read) = (writing.write, reading.read)
        writing.write = { descriptor, bytes, offset in
            let isHeader = bytes.count == BlockHeader.size && bytes.starts(with: "NRBH".utf8)
            // The room for it is there before, and the reader has looked at it.
            if isHeader, let count = lookCount.withLock({ $0 }) {
                try? blockUntil { lookCount.withLock { ($0 ?? 0) > count + 5 } }
            }
            return write(descriptor, bytes, offset)
        }
        reading.read = { descriptor, bytes, offset in
            if bytes.count == BlockHeader.size { lookCount.withLock { $0? += 1 } }
            return read(descriptor, bytes, offset)
        }
        let writer = try FileRecordDatabase(path: path, options: options { _ in }, system: writing)
        try await save("a", in: writer)
        let reader = try FileRecordDatabase(path: path, options: .readOnly, system: reading)
        let token = try await reader.changeToken()
        lookCount.withLock { $0 = 0 }
        async let wait: Void = reader.waitForChanges(after: token)
        try await save("b", padding: 1_500_000, in: writer)
        try await wait
        #expect(try await reader.changes(since: token, limit: 10).saved.count == 1)
    }

    @Test func longBatchThatIsBeingWrittenIsReadOnceByThoseWhoFollow() async throws {
        let writer = try FileRecordDatabase(path: path)
        try await save("1", in: writer)
        let byteCount = Lock(0)
        var system = FileSystem()
        let read = system.read
        system.read = { descriptor, bytes, offset in
            byteCount.withLock { $0 += bytes.count }
            return read(descriptor, bytes, offset)
        }
        let reader = try FileRecordDatabase(path: path, options: .readOnly, system: system)
        _ = try await reader.changeToken()
        let (end, seed) = writer.store.file.view.withLock { ($0.end, $0.seed) }
        var tail = BlockHeader.announcement(at: end).bytes(seed: seed, at: end)
        for _ in 0..<6 {
            tail += [UInt8](repeating: 7, count: 1 << 20)
            try overwrite(tail, at: end)
            _ = try await reader.changeToken()
        }
        #expect(byteCount.withLock { $0 } < 3 * tail.count)
    }

    // MARK: Deletions

    @Test func onlyRecordsThatAreGoneCountAsDeleted() async throws {
        let database = try FileRecordDatabase(path: path, options: options { $0.maximumDeletionCount = 2 })
        try await save("x", "lock", in: database)
        let token = try await database.changeToken()
        try await save(deleting: ["x"], in: database)
        for _ in 0..<3 {
            try await save(deleting: ["lock"], in: database)
            try await save("lock", in: database)
        }
        try await database.compact()
        #expect(try await database.changes(since: token, limit: 10).deleted.map(\.name) == ["x"])
    }

    @Test func deletionOfTheSameRecordIsKeptOnce() async throws {
        let database = try FileRecordDatabase(path: path, options: options { _ in })
        for _ in 0..<100 {
            try await save("lock", in: database)
            try await save(deleting: ["lock"], in: database)
        }
        try await database.compact()
        #expect(database.store.file.view.withLock(\.liveBytes) < 300)
        let statistics = try await database.statistics()
        #expect(statistics.deadByteCount == database.store.file.view.withLock(\.indexSize))
    }

    @Test func historyBeginsAfterAWholeBatch() async throws {
        let database = try FileRecordDatabase(path: path, options: options { $0.maximumDeletionCount = 1 })
        try await save("x", "y", in: database)
        try await save("a", "b", deleting: ["x", "y"], in: database)
        try await database.compact()
        let oldest = try await database.oldestChangeToken()
        #expect(try await database.changes(since: oldest, limit: 10).isEmpty)
        try await save("c", in: database)
        #expect(try await database.changes(since: oldest, limit: 10).saved.count == 1)
    }

    @Test func historyForgetsItsFirstOpenings() throws {
        let firsts: [UInt64] = (0..<1_005).map { $0 * 10 }
        let openings = firsts.map { FileHistory.Opening(first: $0, last: $0 + 5) }
        let kept = FileHistory.Kept(store: 1, purgedPosition: 0, openings: openings)
        #expect(kept.openings == Array(openings.dropFirst(5)))
        #expect(kept.purgedPosition == openings[5].last)
    }

    @Test(.enabled(if: Sweep.isWhole, "opens a file a thousand times"))
    func fileThatWasOpenedOftenForgetsItsFirstOpenings() async throws {
        let options = options { $0.compactionThreshold = 0.01 }
        var system = FileSystem()
        (system.sync, system.syncFolder) = ({ _ in 0 }, { _ in 0 })
        var tokens: [ChangeToken] = []
        for number in 0..<1_005 {
            let database = try FileRecordDatabase(path: path, options: options, system: system)
            try await save("a\(number)", "b\(number)", in: database)
            tokens.append(try await database.changeToken())
            try await database.close()
        }
        let database = try FileRecordDatabase(path: path, options: options, system: system)
        // As large as a file has to be to be compacted without being asked.
        try await save("large", padding: 1 << 20, in: database)
        try await database.compact()
        let oldest = try await database.oldestChangeToken()
        #expect(try await database.changes(since: oldest, limit: 1).saved.count == 2)
        var expiries: [ChangeToken.Expiry?] = []
        for token in tokens { expiries.append(try await expiry(of: token, in: database)) }
        #expect(expiries.prefix(4).allSatisfy { $0 == .purged })
        #expect(expiries.dropFirst(6).allSatisfy { $0 == nil })
        // Nothing more can be given back, so that nothing more is compacted.
        let count = try await database.statistics().compactionCount
        for number in 0..<4 {
            try await save("new\(number)", in: database)
            await database.compactionHasEnded()
        }
        #expect(try await database.statistics().compactionCount == count)
    }

    // MARK: Damage

    @Test func damageThatNobodyNeedsKeepsTheIdentityOfTheHistory() async throws {
        let database = try FileRecordDatabase(path: path, options: options { _ in })
        try await save("a", "b", in: database)
        try await database.compact()
        try await save("a", in: database)
        let end = database.store.file.view.withLock(\.end)
        let token = try await database.changeToken()
        for name in ["a", "c"] { try await save(name, in: database) }
        try overwrite([1, 2, 3], at: end + 24)
        database.store.history.forget()
        await #expect(throws: RecordDatabaseError.self) { try await database.changeToken() }
        try await database.compact()
        #expect(try await expiry(of: token, in: database) == .purged)
    }

    @Test func oldRecordWhoseLengthIsDamagedDoesNotPreventCompaction() async throws {
        // Two entries of 128 bytes: with one bit more the length of the first one leads past the second. All are saved
        // by one opening, because the numbers in entries are longer or shorter from opening to opening.
        let database = try FileRecordDatabase(path: path, options: options { _ in })
        var start = 0
        let wanted = 3 * 128
        for padding in 30..<130 {
            start = database.store.file.view.withLock { $0.end }
            try await save("a", "b", "c", padding: padding, in: database)
            if database.store.file.view.withLock({ $0.liveBytes }) >= wanted { break }
        }
        let found = database.store.file.view.withLock { $0.liveBytes }
        try #require(found == wanted)
        try await save("a", in: database)
        try overwrite([248], at: start + BlockHeader.size)
        try await database.compact()
        #expect(try await database.allRecords.count == 3)
        #expect(try await database.verify() == [])
    }
}
