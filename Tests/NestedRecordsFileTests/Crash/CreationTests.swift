import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct CreationTests {
    private let batches = CountedBatches(width: 3)

    @Test(arguments: SimulatedDisk.Operation.allCases)
    func secondCreatorWaitsOrIsLockedOut(_ operation: SimulatedDisk.Operation) async throws {
        let disk = SimulatedDisk()
        let first = Lock<FileRecordDatabase?>(nil)
        // Whatever the second creator has come to, the first one gets ahead of it.
        disk.plan { [weak disk] current, _ in
            guard current == operation, let disk, first.withLock({ $0 }) == nil else { return nil }
            disk.plan(nil)
            let database = try? disk.open()
            first.withLock { $0 = database }
            return nil
        }
        var second: FileRecordDatabase?
        do {
            second = try disk.open()
        } catch RecordDatabaseError.Code.locked {}
        let databases = [second, first.withLock { $0 }].compactMap { $0 }
        #expect(databases.count == 1)
        for database in databases { try await batches.save(1, in: database) }
        #expect(try await disk.openForReading().numbers(of: [batches]) == [1])
        #expect(disk.state.names.count == 1)
    }

    /// Without links, as on FAT, one creator must not replace the file of the other.
    @Test func secondCreatorReplacesNothingWithoutLinks() async throws {
        let disk = SimulatedDisk()
        let first = Lock<FileRecordDatabase?>(nil)
        let hasBegun = Lock(false)
        disk.plan { [weak disk] operation, _ in
            guard operation == .link, let disk else { return nil }
            if !hasBegun.withLock({ $0 }) {
                hasBegun.withLock { $0 = true }
                let database = try? disk.open()
                first.withLock { $0 = database }
            }
            return .error(EPERM)
        }
        let second = try? disk.open()
        let databases = [second, first.withLock { $0 }].compactMap { $0 }
        #expect(databases.count == 1)
        let database = try #require(databases.first)
        try await batches.save(1, in: database)
        #expect(try await disk.openForReading().numbers(of: [batches]) == [1])
    }

    /// A link to nowhere is not there for who opens it, and is there for who makes it.
    @Test func linkToNowhereIsAnError() throws {
        let disk = SimulatedDisk()
        let rounds = Lock(0)
        disk.plan { operation, _ in
            guard operation == .link else { return nil }
            return rounds.withLock { rounds in
                rounds += 1
                return rounds < 100 ? .error(EEXIST) : .error(EIO)
            }
        }
        #expect(throws: RecordDatabaseError.self) { try disk.open() }
        #expect(rounds.withLock { $0 } < 100, "the creation begins again for ever")
    }

    @Test
    func interruptedLinkIsMadeAgain() throws {
        let disk = SimulatedDisk()
        let isFirst = Lock(true)
        disk.plan { operation, _ in
            guard operation == .link || operation == .isSame, isFirst.withLock({ $0 }) else { return nil }
            isFirst.withLock { $0 = false }
            return .error(EINTR)
        }
        _ = try disk.open()
    }

    @Test func killedCreatorLeavesNothingForEver() async throws {
        let disk = SimulatedDisk()
        disk.record()
        _ = try disk.open()
        #expect(disk.moments.count > 5)
        for moment in disk.moments {
            let later = SimulatedDisk(moment.state.afterKill())
            let database = try later.open()
            #expect(Array(later.state.names.keys) == [SimulatedDisk.path], "killed before \(moment.operation)")
            try await batches.save(1, in: database)
        }
    }

    /// The name of a new file may lead to one that was given another name since, and has records; or it may be the
    /// only name of somebody's copy.
    @Test(arguments: [true, false]) func fileWithRecordsIsNotTakenForUnfinished(_ hasOtherName: Bool) async throws {
        let disk = SimulatedDisk()
        try await batches.save(1, in: try disk.open())
        let taken = SimulatedDisk.path + FileCreation.suffix
        disk.change { state in
            let number = state.names.removeValue(forKey: SimulatedDisk.path)
            state.names[taken] = number
            if hasOtherName { state.names["/disk/moved.records"] = number }
        }
        let names = disk.state.names
        let failure = #expect(throws: RecordDatabaseError.self) { try disk.open() }
        #expect(failure?.code == .inputOutput && failure?.path == taken && failure?.operation == "create")
        #expect(failure?.systemCode == "\(EEXIST)")
        #expect(disk.state.names == names)
        let other = try FileRecordDatabase(path: taken, options: .readOnly, system: disk.system)
        #expect(try await other.numbers(of: [batches]) == [1])
    }

    @Test(arguments: ["", "my notes", String(repeating: "x", count: 5_000)])
    func fileOfAnotherKindIsNotTakenForUnfinished(_ text: String) throws {
        let folder = try TemporaryFolder()
        let taken = folder.path() + FileCreation.suffix
        try Data(text.utf8).write(to: URL(filePath: taken))
        if text.isEmpty {
            // A creator that is killed before it has written anything leaves just this.
            _ = try FileRecordDatabase(path: folder.path())
            #expect(try folder.names == ["test.records"])
        } else {
            #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: folder.path()) }
            #expect(try String(contentsOfFile: taken, encoding: .utf8) == text)
        }
    }

    @Test(arguments: [SimulatedDisk.Operation.open, .write, .sync, .link, .syncFolder])
    func failedCreationLeavesNoTemporaryFile(_ operation: SimulatedDisk.Operation) async throws {
        let disk = SimulatedDisk()
        let opens = Lock(0)
        disk.plan { current, _ in
            // The first opening finds no file, the second one makes it.
            let number = opens.withLock { opens in
                if current == .open { opens += 1 }
                return opens
            }
            // The folder is synced once the file is open, and what a compaction may have left was looked for.
            return current == operation && number == (operation == .syncFolder ? 4 : 2) ? .error(EIO) : nil
        }
        #expect(throws: RecordDatabaseError.self) { try disk.open() }
        disk.plan(nil)
        #expect(disk.state.names.keys.filter { $0 != SimulatedDisk.path } == [])
        try await batches.save(1, in: try disk.open())
        #expect(try await disk.openForReading().numbers(of: [batches]) == [1])
    }
}
