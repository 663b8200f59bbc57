import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsFile

@Suite struct FailedSyncTests {
    private let batches = CountedBatches(width: 3)

    @Test(arguments: [ENOTSUP, EINVAL, ENOTTY])
    func fileSystemsWithoutTheFullCallGetThePlainOne(_ code: Int32) {
        #expect(FullSync.run(full: { -Int(code) }, plain: { 0 }) == 0)
        #expect(FullSync.run(full: { -Int(code) }, plain: { -Int(EIO) }) == -Int(EIO))
    }

    @Test(arguments: [EIO, ENOSPC, EBADF, EINTR, EROFS, EACCES, EPERM, EDQUOT])
    func otherErrorsAreNotFollowedByThePlainCall(_ code: Int32) {
        var isPlain = false
        let result = FullSync.run(
            full: { -Int(code) },
            plain: {
                isPlain = true
                return 0
            })
        #expect(result == -Int(code) && !isPlain)
    }

    @Test func successNeedsNoOtherCall() {
        #expect(FullSync.run(full: { 0 }, plain: { -Int(EIO) }) == 0)
    }

    /// A second call would succeed: the system reports an error of the disk once, and drops the data.
    @Test func syncThatFailsOnceIsAnErrorOfTheCommit() async throws {
        let disk = SimulatedDisk()
        let failure = Lock<Int?>(nil)
        var system = disk.system
        system.sync = { [sync = system.sync] descriptor in
            FullSync.run(full: { failure.take() ?? sync(descriptor) }, plain: { sync(descriptor) })
        }
        var options = FileRecordDatabase.Options()
        options.compactionThreshold = nil
        let database = try FileRecordDatabase(path: SimulatedDisk.path, options: options, system: system)
        try await batches.save(1, in: database)
        failure.withLock { $0 = -Int(EIO) }
        for number in 2...3 {
            // The contents of the file are unknown after that, so that later batches are refused too.
            await #expect {
                try await batches.save(number, in: database)
            } throws: { error in
                let error = error as? RecordDatabaseError
                return error?.code == .inputOutput && error?.operation == "sync" && error?.systemCode == "\(EIO)"
            }
        }
        try? await database.close()
        disk.change { $0 = $0.afterKill() }
        let reopened = try disk.open()
        #expect(try await reopened.numbers(of: [batches]) == [1])
    }

    @Test func descriptionsOfErrorsAreThoseOfTheSystem() {
        for code in [EACCES, ENOSPC, EIO] { #expect(systemErrorText(code) == String(cString: strerror(code))) }
        #expect(systemErrorText(99_999).contains("99999"))
    }
}
