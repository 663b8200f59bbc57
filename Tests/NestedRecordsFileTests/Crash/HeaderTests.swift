import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// The header of a file is there twice.
@Suite struct HeaderTests {
    /// What a program prints to a stream that is closed, and whose number the file got.
    private let line = Array("Fatal error: Unexpectedly found nil while unwrapping an Optional value\n".utf8)

    @Test(arguments: [0, FileHeader.size]) func overwrittenHeaderIsWrittenAgain(_ offset: Int) async throws {
        for isClosed in [false, true] {
            let file = try await DamagedFiles(isClosed: isClosed)
            var bytes = file.bytes
            bytes.replaceSubrange(offset..<(offset + min(line.count, 48)), with: line.prefix(48))
            let disk = SimulatedDisk(.with(bytes))
            let reader = try disk.openForReading()
            #expect(try await reader.numbers(of: [file.batches]) == [5])
            let problems = try await reader.verify()
            #expect(problems.map(\.kind) == [.header])
            #expect(problems.map(\.offset) == [offset])
            #expect(problems.map(\.isDead) == [true])
            #expect(disk.state.bytes == bytes)
            #expect(try await disk.open().numbers(of: [file.batches]) == [5])
            #expect(disk.state.bytes == file.bytes)
        }
    }

    @Test func lossOfPowerWhileTheHeaderIsWrittenAgainLosesNothing() async throws {
        let file = try await DamagedFiles(isClosed: true)
        var bytes = file.bytes
        bytes.replaceSubrange(..<line.count, with: line)
        let disk = SimulatedDisk(.with(bytes))
        disk.record()
        _ = try disk.open()
        var random = SplitMix64(seed: 2)
        for moment in disk.moments {
            for _ in 0..<20 {
                let later = SimulatedDisk(moment.state.afterPowerCut(&random))
                #expect(try await later.open().numbers(of: [file.batches]) == [5])
            }
        }
    }

    @Test(arguments: [2, 6]) func copyOfAnotherVersionIsRefusedToo(_ version: Int) throws {
        let disk = SimulatedDisk()
        _ = try disk.open()
        var bytes = disk.state.bytes
        bytes[0] = 0
        let seed = bytes.withUnsafeBytes { $0.fixed(UInt64.self, at: 16) }
        let copy = BlockHeader(
            .header, count: version, byteCount: 0, sequence: seed, digest: 0, durableEnd: FileHeader.size)
        bytes.replaceSubrange(FileHeader.size..., with: copy.bytes(seed: seed, at: FileHeader.size))
        let other = SimulatedDisk(.with(bytes))
        let failure = #expect(throws: RecordDatabaseError.self) { try other.open() }
        #expect("\(failure, default: "")".contains("version \(version),"))
    }

    /// Blocks that an earlier file left on the disk must not be valid in the new one.
    @Test func compactionGivesTheFileAnotherSeed() async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 3)
        let database = try disk.open()
        for number in 1...3 { try await batches.save(number, in: database) }
        let before = disk.state.bytes
        try await database.compact()
        for number in 4...6 { try await batches.save(number, in: database) }
        #expect(try await database.numbers(of: [batches]) == [6])
        let after = disk.state.bytes
        let (old, new) = (
            before.withUnsafeBytes { $0.fixed(UInt64.self, at: 16) }, database.store.file.view.withLock(\.seed)
        )
        #expect(old != new)
        let valid = before.withUnsafeBytes { bytes in
            (FileHeader.size..<(bytes.count - BlockHeader.size)).filter {
                BlockHeader(UnsafeRawBufferPointer(rebasing: bytes[$0...]), seed: new, at: $0) != nil
            }
        }
        #expect(valid.isEmpty)
        let origin = after.withUnsafeBytes { $0.fixed(UInt64.self, at: 24) }
        #expect(origin == old)
        try await database.close()
        #expect(try await disk.open().numbers(of: [batches]) == [6])
    }
}
