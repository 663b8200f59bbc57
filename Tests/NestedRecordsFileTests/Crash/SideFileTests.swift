import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What a compaction makes beside the database, and what becomes of that where it is interrupted.
@Suite struct SideFileTests {
    private let batches = CountedBatches(width: 3)
    private let path = SimulatedDisk.path

    /// A disk with a database, and where it is compacted to.
    private func compactedPath() async throws -> (disk: SimulatedDisk, path: String, seed: UInt64) {
        let disk = SimulatedDisk()
        let database = try disk.open()
        try await disk.save(1, of: batches, in: database)
        let seed = database.store.file.view.withLock { $0.seed }
        return (disk, path + CompactionLeftover.suffix(seed), seed)
    }

    private func put(_ bytes: [UInt8], at path: String, on disk: SimulatedDisk) {
        disk.change { state in
            state.names[path] = state.nextNumber
            state.files[state.nextNumber] = SimulatedFile(durable: bytes)
            state.nextNumber += 1
        }
    }

    @Test(arguments: [0, 5, 32, 5_000]) func unfinishedCompactionIsRemoved(_ count: Int) async throws {
        for isWritten in [true, false] {
            let (disk, leftover, seed) = try await compactedPath()
            let head = isWritten ? FileHeader(seed: 7, origin: seed).bytes : []
            put(Array((head + [UInt8](repeating: 0, count: 5_000)).prefix(count)), at: leftover, on: disk)
            _ = try disk.openForReading()
            #expect(disk.state.names.count == 2)
            let database = try disk.open()
            #expect(disk.state.names.count == 1)
            #expect(try await database.numbers(of: [batches]) == [1])
            try await database.compact()
            #expect(try await database.numbers(of: [batches]) == [1])
        }
    }

    @Test func fileThatNoCompactionHasLeftStays() async throws {
        let (disk, taken, seed) = try await compactedPath()
        for bytes in [Array("my notes".utf8), FileHeader(seed: seed).bytes] {
            put(bytes, at: taken, on: disk)
            let database = try disk.open()
            let failure = await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
            #expect(failure?.code == .inputOutput && failure?.path == taken && failure?.operation == "open")
            #expect(failure?.systemCode == "\(EEXIST)")
            try await batches.save(2, in: database)
            #expect(disk.state.names[taken].flatMap { disk.state.files[$0]?.bytes } == bytes)
        }
    }

    @Test func fileThatSomebodyHasOpenForWritingStays() async throws {
        let (disk, taken, seed) = try await compactedPath()
        put(FileHeader(seed: 7, origin: seed).bytes, at: taken, on: disk)
        disk.change { state in
            if let number = state.names[taken] { state.files[number]?.locker = 1_000_000 }
        }
        _ = try disk.open()
        #expect(disk.state.names[taken] != nil)
    }

    @Test func nothingIsRemovedWhereTheHeadIsDamaged() async throws {
        let (disk, leftover, seed) = try await compactedPath()
        put(FileHeader(seed: seed).bytes, at: leftover, on: disk)
        put([1], at: path + FileCreation.suffix, on: disk)
        var bytes = disk.state.bytes
        bytes[16] ^= 1
        bytes[FileHeader.size] ^= 1
        put(bytes, at: path, on: disk)
        #expect(throws: RecordDatabaseError.self) { try disk.open() }
        #expect(disk.state.names.count == 3)
    }

    @Test func killedCompactionLeavesNothingForEver() async throws {
        let (disk, _, _) = try await compactedPath()
        let database = try disk.open()
        try await disk.save(2, of: batches, in: database)
        disk.record()
        try await database.compact()
        var random = SplitMix64(seed: 3)
        for moment in disk.moments {
            let states = [moment.state.afterKill()] + (0..<20).map { _ in moment.state.afterPowerCut(&random) }
            for state in states {
                let later = SimulatedDisk(state)
                let database = try later.open()
                #expect(Array(later.state.names.keys) == [path], "ended before \(moment.operation)")
                #expect(try await database.numbers(of: [batches]) == [2])
            }
        }
    }

    /// Whoever may not read the database may not read what a compaction has written either, at any moment.
    @Test(arguments: [0o600, 0o640, 0o440] as [FilePermissions])
    func nobodyMayReadMoreWhileACompactionRuns(_ permissions: FilePermissions) async throws {
        let (disk, _, _) = try await compactedPath()
        disk.change { state in
            guard let number = state.names[path] else { return }
            state.files[number]?.status = FileStatus(owner: 7, group: 8, permissions: permissions)
            state.files[number]?.extendedAttributes = ["user.a": [1]]
        }
        let database = try disk.open()
        disk.record()
        try await database.compact()
        for moment in disk.moments {
            for file in moment.state.files.values {
                let isOwned = (file.status.owner, file.status.group) == (7, 8)
                #expect(file.status.permissions & ~(isOwned ? permissions | 0o600 : 0o600) == 0)
            }
        }
        let file = try #require(disk.state.names[path].flatMap { disk.state.files[$0] })
        #expect((file.status.owner, file.status.group, file.status.permissions) == (7, 8, permissions))
        #expect(file.extendedAttributes == ["user.a": [1]])
    }

    @Test(arguments: [SimulatedDisk.Operation.setOwner, .copyExtendedAttributes, .setPermissions])
    func fileIsNotCompactedWhereItCannotStayWhatItIs(_ operation: SimulatedDisk.Operation) async throws {
        let (disk, _, _) = try await compactedPath()
        disk.change { state in
            guard let number = state.names[path] else { return }
            state.files[number]?.status = FileStatus(owner: 7, group: 8, permissions: 0o640)
        }
        let database = try disk.open()
        let before = disk.state.bytes
        disk.plan { current, _ in current == operation ? .error(EPERM) : nil }
        await #expect {
            try await database.compact()
        } throws: { error in
            guard let error = error as? RecordDatabaseError, error.code == .notReplaceable, error.path == path,
                let refusal = error.underlyingError as? RecordDatabaseError, refusal.systemCode == "\(EPERM)",
                let what = refusal.operation
            else { return false }
            return what.hasPrefix("keep the ")
        }
        #expect(disk.state.bytes == before)
        #expect(Array(disk.state.names.keys) == [path])
        try await batches.save(2, in: database)
    }

    @Test func tailIsForTheOwnerAloneWhereItCannotGetTheOwnerOfTheFile() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let disk = SimulatedDisk(.with(file.bytes.dropLast()))
        disk.change { $0.files[1]?.status = FileStatus(owner: 7, group: 8, permissions: 0o666) }
        disk.plan { operation, _ in operation == .setOwner ? .error(EPERM) : nil }
        let database = try disk.open()
        #expect(database.recoveredPath == path + ".torn")
        let tail = try #require(disk.state.names[path + ".torn"].flatMap { disk.state.files[$0] })
        #expect(tail.status.permissions == 0o600)
    }

    /// Between the beginning and the end of a compaction too.
    @Test func fileThatTakesTheNameDuringACompactionIsNotReplaced() async throws {
        let (disk, _, _) = try await compactedPath()
        let database = try disk.open()
        disk.plan { [weak disk, path] operation, _ in
            guard operation == .write else { return nil }
            disk?.change { state in
                state.names[path] = 1_000
                state.files[1_000] = SimulatedFile(durable: [1, 2, 3])
            }
            return nil
        }
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
        #expect(failure?.code == .fileReplaced && failure?.path == path)
        #expect(disk.state.bytes == [1, 2, 3])
        #expect(Array(disk.state.names.keys) == [path])
    }

    @Test func fileThatGetsAnotherNameDuringACompactionKeepsIt() async throws {
        let (disk, _, _) = try await compactedPath()
        let database = try disk.open()
        disk.plan { [weak disk, path] operation, _ in
            if operation == .write { disk?.change { $0.names["/disk/other"] = $0.names[path] } }
            return nil
        }
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
        #expect(failure?.code == .hardLinked && failure?.path == path && failure?.reason == "there are 2")
        #expect(disk.state.names["/disk/other"] == disk.state.names[path])
    }
}
