import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// Files whose checksums are right and whose contents are not: they are refused or read, and trap nobody.
@Suite struct ForgedFileTests {
    private let seed: UInt64 = 7

    private func file(_ folder: TemporaryFolder, _ state: LogState = LogState()) throws -> StorageFile {
        let file = try StorageFile.open(try FilePath(folder.path(), FileSystem()), OpenFlags.creating, FileSystem())
        try FileHead.write(FileHeader(seed: seed), states: [state, state], to: file)
        return file
    }

    @Test func largestNumberOfAnEntryIsGoneBeyond() async throws {
        let folder = try TemporaryFolder()
        var output = BlockOutput(file: try file(folder), seed: seed, at: FileHeader.batchesStart)
        let metadata = Record.Metadata(changeTag: "1", creationDate: .distantPast, modificationDate: .distantPast)
        let record = try Flat.record("A/1", ["n": 1]).saved(as: metadata)
        _ = try output.append(record, metadata: metadata)
        try output.finish(sequence: .max, durableEnd: FileHeader.batchesStart)
        let database = try FileRecordDatabase(path: folder.path())
        #expect(try await database.record(for: record.id) == record)
        _ = try await database.save(RecordGraph([Flat.record("A/2"), Flat.record("A/3")]))
        #expect(try await database.allRecords.count == 3)
        // Its history is of no use, and no trap.
        for _ in 0..<2 {
            let now = try await database.changeToken()
            for token in [
                now, ChangeToken(store: now.store, position: .max, mark: 0), try await database.oldestChangeToken(),
            ] {
                for mark in [token.mark, 0, 1, .max] {
                    let token = ChangeToken(store: token.store, position: token.position, mark: mark)
                    _ = try? await database.changes(since: token, limit: 1)
                }
            }
            try await database.compact()
        }
        #expect(try await database.allRecords.count == 3)
    }

    @Test(arguments: [0, Int.max])
    func indexThatLeadsNowhereIsAnError(_ liveBytes: Int) async throws {
        let folder = try TemporaryFolder()
        let id = try Record.ID("A/1")
        var types = TypeTable(seed: seed)
        var index = FileIndex()
        // The type that the slot names is not among the types of the index either.
        index.insert(try types.makeKey(of: id) | 9, at: EntryLocation.make(offset: 1 << 30, length: 100))
        index.insert(try types.makeKey(of: id), at: EntryLocation.make(offset: 1 << 30, length: 3))
        var state = LogState()
        state.indexOffset = UInt64(FileHeader.batchesStart)
        // Its bytes come after it, when their number is known.
        let file = try file(folder, state)
        let end = try SavedIndex.write(
            index, types, liveBytes: liveBytes, sequence: 1, durableEnd: FileHeader.batchesStart, to: file,
            at: FileHeader.batchesStart)
        state.durableEnd = UInt64(end)
        try FileHead.write(FileHeader(seed: seed), states: [state, state], to: file)
        let database = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        guard liveBytes == 0 else {
            // Such an index is none: the blocks tell that there are no records.
            #expect(try await database.allRecords.isEmpty)
            return
        }
        await #expect(throws: RecordDatabaseError.self) { try await database.allRecords }
        await #expect(throws: RecordDatabaseError.self) { try await database.record(for: id) }
        await #expect(throws: RecordDatabaseError.self) { try await database.statistics() }
        #expect(try await database.verify().map(\.kind) == [.index])
    }

    @Test(arguments: [1, 1 << 16])
    func indexThatDoesNotFindWhatItLeadsToIsDamage(_ flipped: UInt64) async throws {
        let folder = try TemporaryFolder()
        let id = try Record.ID("A/1")
        let file = try file(folder)
        var output = BlockOutput(file: file, seed: seed, at: FileHeader.batchesStart)
        let metadata = Record.Metadata(changeTag: "1", creationDate: .distantPast, modificationDate: .distantPast)
        let place = try output.append(try Flat.record("A/1"), metadata: metadata).place
        try output.finish(sequence: 1, durableEnd: FileHeader.batchesStart)
        var types = TypeTable(seed: seed)
        var index = FileIndex()
        index.insert(try types.makeKey(of: id) ^ flipped, at: place)
        let end = try SavedIndex.write(
            index, types, liveBytes: 0, sequence: 2, durableEnd: FileHeader.batchesStart, to: file, at: output.end)
        var state = LogState()
        (state.indexOffset, state.durableEnd) = (UInt64(output.end), UInt64(end))
        try FileHead.write(FileHeader(seed: seed), states: [state, state], to: file)
        let database = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        #expect(try await database.record(for: id) == nil)
        #expect(try await database.verify().map(\.kind) == [.index])
    }

    @Test func wrongIndexIsDamageBesideDamageOfOldRecords() async throws {
        let folder = try TemporaryFolder()
        let file = try file(folder)
        var output = BlockOutput(file: file, seed: seed, at: FileHeader.batchesStart)
        let metadata = Record.Metadata(changeTag: "1", creationDate: .distantPast, modificationDate: .distantPast)
        let places = try (0..<3).map { _ in try output.append(try Flat.record("A/1"), metadata: metadata).place }
        try output.finish(sequence: 1, durableEnd: FileHeader.batchesStart)
        try [0xFF as UInt8].withUnsafeBytes {
            try file.write($0, at: EntryLocation.offset(places[0]) + LogEntry.headerSize + 3)
        }
        // Each entry has the length of the first one.
        let middle = EntryLocation.make(
            offset: EntryLocation.offset(places[1]) + 5, length: EntryLocation.length(places[1]))
        for (places, kinds) in [
            ([places[2]], []), ([middle], [.index]), ([places[1], places[2]], [.index]),
        ] as [([UInt64], [FileRecordDatabase.Problem.Kind])] {
            var types = TypeTable(seed: seed)
            var index = FileIndex()
            for place in places { index.insert(try types.makeKey(of: Record.ID("A/1")), at: place) }
            let end = try SavedIndex.write(
                index, types, liveBytes: 0, sequence: 2, durableEnd: FileHeader.batchesStart, to: file, at: output.end)
            var state = LogState()
            (state.indexOffset, state.durableEnd) = (UInt64(output.end), UInt64(end))
            try FileHead.write(FileHeader(seed: seed), states: [state, state], to: file)
            let database = try FileRecordDatabase(path: folder.path(), options: .readOnly)
            let problems = try await database.verify()
            #expect(problems.filter(\.isDead).map(\.kind) == [.entry])
            #expect(problems.filter { !$0.isDead }.map(\.kind) == kinds)
        }
    }

    @Test func lengthThatIsOnlyClaimedTakesNoMemory() throws {
        let folder = try TemporaryFolder()
        let largest = Lock(0)
        var system = FileSystem()
        system.read = { [read = system.read] descriptor, bytes, offset in
            largest.withLock { $0 = max($0, bytes.count) }
            return read(descriptor, bytes, offset)
        }
        _ = try file(folder)
        let file = try StorageFile.open(try FilePath(folder.path(), system), OpenFlags.reading, system)
        var reader = EntryReader(seed: seed)
        #expect(throws: RecordDatabaseError.self) {
            try reader.read(EntryLocation.make(offset: 512, length: .max), in: file) { _, _ in }
        }
        #expect(largest.withLock { $0 } == LogEntry.headerSize)
    }

    @Test func recordThatIsNoneIsDamageAtItsPlace() async throws {
        let folder = try TemporaryFolder()
        let id = try Record.ID("A/1")
        var output = BlockOutput(file: try file(folder), seed: seed, at: FileHeader.batchesStart)
        // The ID, and neither metadata nor fields.
        try [BinaryFormat.version, 1, 0x41, 1, 0x31].withBytesInPlace {
            _ = try output.append(EntryReader.Entry(kind: LogEntry.save, body: $0))
        }
        try output.finish(sequence: 1, durableEnd: FileHeader.batchesStart)
        let database = try FileRecordDatabase(path: folder.path())
        for call in [
            { _ = try await database.record(for: id) }, { _ = try await database.allRecords },
            { _ = try await database.save(RecordGraph([Record(id: id)])) },
        ] as [() async throws -> Void] {
            let failure = await #expect(throws: RecordDatabaseError.self) { try await call() }
            #expect(failure?.code == .corrupt && failure?.offset == FileHeader.batchesStart + BlockHeader.size)
        }
        #expect(try await database.verify().map(\.kind) == [.record])
    }

    @Test func largestGenerationIsGoneBeyond() async throws {
        let folder = try TemporaryFolder()
        var state = LogState()
        (state.generation, state.compactions) = (.max, .max)
        _ = try file(folder, state)
        for name in ["A/1", "A/2", "A/3"] {
            let database = try FileRecordDatabase(path: folder.path())
            _ = try await database.save(RecordGraph([Flat.record(name)]))
            if name == "A/2" { try await database.compact() }
            try await database.close()
        }
        let database = try FileRecordDatabase(path: folder.path())
        #expect(try await database.allRecords.count == 3)
        #expect(try await database.verify() == [])
    }
}
