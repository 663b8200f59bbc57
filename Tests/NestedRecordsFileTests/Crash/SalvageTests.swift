import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What is undamaged in a damaged file is read, and what is damaged is named.
@Suite struct SalvageTests {
    private func salvage(_ bytes: [UInt8]) async throws -> (
        records: [Record.ID: Record], problems: [FileRecordDatabase.Problem]
    ) {
        let salvage = try await FileRecordDatabase.salvage(
            from: SimulatedDisk.path, system: SimulatedDisk(.with(bytes)).system)
        var records: [Record.ID: Record] = [:]
        for try await record in salvage.records {
            #expect(records.updateValue(record, forKey: record.id) == nil)
        }
        #expect(salvage.recordCount == records.count)
        return (records, salvage.problems)
    }

    @Test(arguments: [false, true]) func undamagedFileIsSalvagedWhole(_ isCompacted: Bool) async throws {
        let file = try await DamagedFiles(isClosed: true, isCompacted: isCompacted)
        let (records, problems) = try await salvage(file.bytes)
        #expect(problems.isEmpty)
        #expect(try file.batches.number(in: records) == 5)
    }

    /// The header, the states, and every block and entry.
    @Test(arguments: [false, true]) func flippedBitLosesOneVersionAtMost(_ isCompacted: Bool) async throws {
        let file = try await DamagedFiles(isClosed: true, isCompacted: isCompacted, count: 4)
        let whole = try await salvage(file.bytes).records
        for offset in Array(0..<48) + Array(512..<560) + Array(1_024..<1_072) + Array(4_096..<file.bytes.count) {
            var bytes = file.bytes
            bytes[offset] ^= 1 << (offset % 8)
            let (records, problems) = try await salvage(bytes)
            let others = whole.filter { records[$0.key] != $0.value }
            try #require(others.count <= 1, "byte \(offset): \(others.keys)")
            // A deletion that is damaged brings its record back.
            try #require(records.keys.count { whole[$0] == nil } <= 1)
            // What lies before the batches is never in use as a whole: it is there twice.
            try #require(offset < 48 || !problems.isEmpty, "byte \(offset) goes unnoticed")
            if !others.isEmpty {
                try #require(problems.contains { !$0.isDead && $0.offset <= offset && offset - $0.offset < 100 })
            }
        }
    }

    @Test(arguments: [0, 1]) func missingOrInsertedByteLosesOneVersionAtMost(_ inserted: Int) async throws {
        let file = try await DamagedFiles(isClosed: true, count: 4)
        let whole = try await salvage(file.bytes).records
        for offset in Sweep.some(150, of: 560..<file.bytes.count) {
            var bytes = file.bytes
            bytes.replaceSubrange(offset..<(offset + 1 - inserted), with: [UInt8](repeating: 7, count: inserted))
            let (records, problems) = try await salvage(bytes)
            let others = whole.filter { records[$0.key] != $0.value }
            try #require(others.count <= 1, "byte \(offset): \(others.keys)")
            try #require(!problems.isEmpty)
        }
    }

    @Test func headerOfTheFirstVersionWithAFlippedBitIsGuessed() async throws {
        let disk = SimulatedDisk()
        let seed: UInt64 = 0x1234_5678_9ABC_DEF0
        var bytes = [UInt8](repeating: 0, count: FileHeader.size)
        bytes.replaceSubrange(16..<24, with: withUnsafeBytes(of: (seed ^ 1 << 40).littleEndian, Array.init))
        disk.change { state in
            state.files[1] = SimulatedFile(durable: bytes)
            state.names[SimulatedDisk.path] = 1
        }
        let file = try StorageFile.open(FilePath(SimulatedDisk.path, disk.system), OpenFlags.writing, disk.system)
        var output = BlockOutput(file: file, seed: seed, at: FileHeader.size)
        let metadata = Record.Metadata(changeTag: "1", creationDate: .distantPast, modificationDate: .distantPast)
        let record = try Flat.record("A/1", ["n": 1]).saved(as: metadata)
        _ = try output.append(record, metadata: metadata)
        try output.finish(sequence: 1, durableEnd: FileHeader.size)
        let (records, problems) = try await salvage(disk.state.bytes)
        #expect(records == [record.id: record])
        #expect(problems.map(\.kind) == [.header])
    }

    @Test func copyOfTheFileInADamagedRecordDoesNotReplaceNewerVersions() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        func save(_ number: Int, _ fields: Record.Fields) async throws {
            try await database.commit(
                RecordBatch(saving: [Record(id: Record.ID("A/\(number)"), fields: fields)], savePolicy: .overwrite))
        }
        try await save(1, ["n": 1])
        let old = disk.state.bytes
        try await save(1, ["n": 2])
        let start = disk.state.bytes.count
        try await save(2, ["copy": .bytes(Data(old))])
        var bytes = disk.state.bytes
        bytes[start + BlockHeader.size + 40] ^= 1
        let (records, problems) = try await salvage(bytes)
        #expect(try records.values.map(\.id) == [Record.ID("A/1")])
        #expect(records.values.first?["n"] == 2)
        #expect(problems.count == 1)
        // Also where the structure around it is lost.
        bytes[start] ^= 1
        #expect(try await salvage(bytes).records.values.first?["n"] == 2)
    }

    @Test func everyDamageIsListed() async throws {
        let file = try await DamagedFiles(isClosed: true)
        let database = try SimulatedDisk(.with(file.bytes)).open()
        let places = try database.store.file.currentView().index.places().map(EntryLocation.offset)
        var bytes = file.bytes
        // The checksum of one, the length of another, a header.
        bytes[places[0] + 20] ^= 1
        bytes[places[2] + 1] ^= 4
        bytes[file.ends[2]] ^= 1
        for offset in [0, 600] { bytes[offset] ^= 1 }
        let (records, problems) = try await salvage(bytes)
        #expect(records.count >= places.count - 2)
        #expect(problems.map(\.offset) == [0, file.ends[2], places[0], places[2]].sorted())
    }

    @Test func unfinishedBatchIsSalvagedAsFarAsItIsThere() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let (records, problems) = try await salvage(file.bytes.dropLast())
        #expect(problems.map(\.offset).contains(file.ends[4]))
        #expect(records.values.contains { $0["n"] == 5 })
    }

    @Test func somethingElseIsNotSalvaged() async throws {
        for bytes in [Array("SQLite format 3".utf8), [], [UInt8](repeating: 0, count: 10_000)] {
            let failure = await #expect(throws: RecordDatabaseError.self) { _ = try await salvage(bytes) }
            #expect(failure?.code == .notARecordDatabase)
        }
    }
}
