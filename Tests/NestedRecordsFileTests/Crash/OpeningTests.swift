import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct OpeningTests {
    private let path = SimulatedDisk.path

    private func error(_ bytes: [UInt8]) throws -> String {
        let disk = SimulatedDisk(.with(bytes))
        var texts: [String] = []
        for isReadOnly in [true, false] {
            do {
                _ = try disk.open { $0.isReadOnly = isReadOnly }
                texts.append("none")
            } catch {
                texts.append("\(error)")
            }
        }
        #expect(disk.state.bytes == bytes)
        #expect(disk.state.names.count == 1)
        #expect(texts[0] == texts[1])
        return texts[0]
    }

    private func head() throws -> [UInt8] {
        let disk = SimulatedDisk()
        _ = try disk.open()
        return disk.state.bytes
    }

    @Test func otherFileIsNotARecordFile() throws {
        let foreign: [[UInt8]] = [
            [], [0x4E], Array("SQLite format 3\u{0}".utf8), Array(repeating: 0, count: 8_192), Array("NRDB\n\n".utf8),
        ]
        for bytes in foreign { #expect(try error(bytes) == "the file \(path) is not a database of records") }
    }

    @Test(arguments: [1, 2, 3, 5, 6] as [UInt8]) func fileOfAnotherVersionIsRefused(_ version: UInt8) async throws {
        var bytes = try head()
        bytes[8] = version
        // Its copy too; where that is of the present version, the header is only damaged.
        bytes[FileHeader.size] = 0
        let text = "the file \(path) is of version \(version), which this library does not know"
        #expect(try error(bytes) == text)
        let disk = SimulatedDisk(.with(bytes))
        await #expect(throws: RecordDatabaseError.self) {
            try await FileRecordDatabase.salvage(from: path, system: disk.system)
        }
    }

    @Test func damagedHeadIsNamed() throws {
        var bytes = try head()
        bytes[16] ^= 1
        bytes[FileHeader.size] ^= 1
        #expect(try error(bytes) == "the file \(path) is damaged at byte 0: the header of the file")
    }

    @Test func oneOfTwoStatesIsEnough() async throws {
        let file = try await DamagedFiles(isClosed: true, isCompacted: true)
        for offset in LogState.offsets {
            var bytes = file.bytes
            bytes[offset] ^= 1
            #expect(try await file.outcome(of: bytes) == .batch(5))
            let problems = try await SimulatedDisk(.with(bytes)).openForReading().verify()
            #expect(problems.map(\.offset) == [offset])
            #expect(problems.map(\.kind) == [.state])
            #expect(problems.map(\.isDead) == [true])
        }
        var bytes = file.bytes
        for offset in LogState.offsets { bytes[offset] ^= 1 }
        #expect(try error(bytes) == "the file \(path) is damaged at byte 512: both states of the file")
    }

    @Test func missingFolderIsAnError() throws {
        let folder = try TemporaryFolder()
        let failure = #expect(throws: RecordDatabaseError.self) {
            try FileRecordDatabase(path: folder.path("none/test.records"))
        }
        #expect(failure?.code == .inputOutput && failure?.operation == "open" && failure?.systemCode == "\(ENOENT)")
    }

    @Test func fileThatMayOnlyBeReadIsOpenedForReadingAlone() async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches()
        try await batches.save(1, in: try disk.open())
        disk.plan { operation, _ in
            [.write, .truncate, .link, .rename, .remove, .lock, .sync, .syncFolder].contains(operation)
                ? .error(EROFS) : nil
        }
        #expect(throws: RecordDatabaseError.self) { try disk.open() }
        #expect(try await disk.openForReading().numbers(of: [batches]) == [1])
    }

    @Test func tornTailIsKeptBesideTheFile() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let disk = SimulatedDisk(.with(file.bytes.dropLast()))
        let reader = try disk.openForReading()
        #expect(disk.state.bytes.count == file.bytes.count - 1)
        let database = try disk.open()
        let tail = Array(file.bytes[file.ends[4]...].dropLast())
        #expect(database.recoveredByteCount == tail.count)
        #expect(disk.state.names[path + ".torn"].flatMap { disk.state.files[$0]?.bytes } == tail)
        #expect(disk.state.bytes.count == file.ends[4])
        #expect(try await reader.numbers(of: [file.batches]) == [4])
    }
}
