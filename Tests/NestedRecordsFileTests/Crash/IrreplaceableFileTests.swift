import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What a database does with a file whose name the system gives to no other file.
@Suite struct IrreplaceableFileTests {
    private let batches = CountedBatches(width: 3, padding: 100_000)
    private let sentence = "the file \(SimulatedDisk.path) cannot be replaced by a compacted one"

    private func database(
        on disk: SimulatedDisk, _ system: FileSystem, threshold: Double? = nil, isReadOnly: Bool = false
    ) throws -> FileRecordDatabase {
        var options = FileRecordDatabase.Options()
        (options.compactionThreshold, options.isReadOnly) = (threshold, isReadOnly)
        let database = try FileRecordDatabase(path: SimulatedDisk.path, options: options, system: system)
        try database.prepareWhileWaiting()
        return database
    }

    @Test(arguments: [EBUSY, EPERM, EACCES, EXDEV, EROFS])
    func compactionSaysWhatRefusesIt(_ code: Int32) async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        for number in 1...4 { try await batches.save(number, in: database) }
        let (bytes, names) = (disk.state.bytes, disk.state.names)
        disk.plan { operation, _ in operation == .rename ? .error(code) : nil }
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
        #expect(error?.code == .notReplaceable)
        #expect((error?.underlyingError as? RecordDatabaseError)?.systemCode == "\(code)")
        #expect(error.map { "\($0)".hasPrefix("\(sentence): the system could not rename the file") } == true)
        #expect(try await database.statistics().compactionFailure == error.map { "\($0)" })
        #expect(disk.state.bytes == bytes)
        #expect(disk.state.names == names)
        try await batches.save(5, in: database)
        #expect(try await database.numbers(of: [batches]) == [5])
        disk.plan(nil)
        #expect(try await database.compact() > 0)
        #expect(try await database.statistics().compactionFailure == nil)
    }

    @Test func automaticCompactionLeavesTheFileAlone() async throws {
        let disk = SimulatedDisk()
        var system = disk.system
        system.checkReplacement = { _, _ in -Int(EBUSY) }
        let database = try database(on: disk, system, threshold: 0.3)
        disk.plan { operation, _ in
            if operation == .open { Issue.record("a file is made") }
            return nil
        }
        for number in 1...8 { try await batches.save(number, in: database) }
        await database.compactionHasEnded()
        #expect(try await database.numbers(of: [batches]) == [8])
    }

    @Test func automaticCompactionThatIsRefusedIsNotTriedAgain() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open { $0.compactionThreshold = 0.3 }
        let renames = Lock(0)
        disk.plan { operation, _ in
            guard operation == .rename else { return nil }
            renames.withLock { $0 += 1 }
            return .error(EBUSY)
        }
        for number in 1...40 { try await batches.save(number, in: database) }
        await database.compactionHasEnded()
        #expect(renames.withLock { $0 } == 1)
    }

    @Test func statisticsAndTheWarningSayWhy() async throws {
        let disk = SimulatedDisk()
        let code = Lock(0)
        var system = disk.system
        system.checkReplacement = { _, _ in code.withLock { $0 } }
        let database = try database(on: disk, system)
        try await batches.save(1, in: database)
        code.withLock { $0 = -Int(EBUSY) }
        let reason = "\(sentence): the system could not replace the file \(SimulatedDisk.path): "
        #expect(try #require(try await database.statistics().compactionFailure).hasPrefix(reason))
        #expect(database.compactionWarning == nil)
        for number in 2...6 { try await batches.save(number, in: database) }
        for database in [database, try self.database(on: disk, system, isReadOnly: true)] {
            let statistics = try await database.statistics()
            #expect(try #require(statistics.compactionFailure).hasPrefix(reason))
            #expect(database.compactionWarning == statistics.compactionFailure)
        }
        code.withLock { $0 = 0 }
        #expect(try await database.statistics().compactionFailure == nil)
        #expect(database.compactionWarning == nil)
    }

    @Test func fileInAFolderOfOnesOwnCanBeReplaced() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        #expect(try await database.statistics().compactionFailure == nil)
    }
}
