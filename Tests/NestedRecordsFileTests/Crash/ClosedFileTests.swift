import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What was acknowledged is never taken for what was being written when the writer ended.
@Suite struct ClosedFileTests {
    private let path = SimulatedDisk.path

    @Test(arguments: [0, 1]) func missingOrInsertedByteIsAnError(_ inserted: Int) async throws {
        let file = try await DamagedFiles(isClosed: true)
        for offset in file.offsets(sample: 200) {
            var bytes = file.bytes
            bytes.replaceSubrange(offset..<(offset + 1 - inserted), with: [UInt8](repeating: 7, count: inserted))
            switch try await file.outcome(of: bytes) {
            case .error: continue
            case .batch(let number):
                // What lies between the states is never read, and a byte more may be what was being written.
                try #require(number == 5 && inserted == 1, "byte \(offset): batch \(number)")
            }
        }
    }

    /// A loss of power never takes bytes out of the middle: the blocks after them tell.
    @Test func missingByteInAFileThatWasNotClosedIsAnError() async throws {
        let file = try await DamagedFiles(isClosed: false)
        for offset in Sweep.some(100, of: file.ends[0]..<file.ends[3]) {
            var bytes = file.bytes
            bytes.remove(at: offset)
            guard case .error = try await file.outcome(of: bytes) else {
                Issue.record("byte \(offset) is missing, and nobody says so")
                return
            }
        }
    }

    @Test func fileWithADamagedStateAndADamagedBatchIsWholeOrAnError() async throws {
        let file = try await DamagedFiles(isClosed: true)
        let newest = LogState.offsets[1]
        for offset in Sweep.some(100, of: stride(from: file.ends[0], to: file.bytes.count, by: 3).map(\.self)) {
            var bytes = file.bytes
            bytes[newest + offset % LogState.size] ^= 1 << (offset % 8)
            bytes[offset] ^= 1
            // All of it is there only if the damage is in a version that is superseded.
            if case .batch(let number) = try await file.outcome(of: bytes) {
                try #require(
                    number == 5 && offset < file.ends[4], "a closed file goes back to an earlier batch, byte \(offset)")
            }
        }
    }

    /// A writer that is killed while it closes the file leaves this.
    @Test(arguments: LogState.offsets) func damagedStateIsMadeAgain(_ offset: Int) async throws {
        let file = try await DamagedFiles(isClosed: true, isCompacted: true)
        for padding in 0...1 {
            var bytes = file.bytes
            bytes[offset] ^= 1
            let disk = SimulatedDisk(.with(bytes))
            do {
                let database = try disk.open()
                #expect(try await database.verify() == [])
                for number in 6..<(6 + padding) { try await file.batches.save(number, in: database) }
            }
            // The other one may be lost now.
            var repaired = disk.state.bytes
            repaired[LogState.offsets[0] + LogState.offsets[1] - offset] ^= 1
            #expect(try await file.outcome(of: repaired) == .batch(5 + padding))
        }
    }

    @Test func zerosInPlaceOfManyBatchesAreAnError() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let zeros = [UInt8](repeating: 0, count: 1 << 20 + 4_096)
        let small = try await file.outcome(of: file.bytes + zeros[..<4_096])
        #expect(small == .batch(5))
        guard case .error = try await file.outcome(of: file.bytes + zeros) else {
            Issue.record("more is cut off than a batch can leave")
            return
        }
    }

    @Test(arguments: [RecordDurability.full, .relaxed])
    func longBatchThatWasBeingWrittenIsCutOff(_ durability: RecordDurability) async throws {
        let batches = CountedBatches(width: 8, padding: 400_000)
        let disk = SimulatedDisk()
        let database = try disk.open { $0.durability = durability }
        try await CountedBatches(task: 1, width: 1).save(1, in: database)
        disk.record()
        try await batches.save(1, in: database)
        let last = try #require(disk.moments.last { $0.operation == .write })
        var (state, random) = (last.state.afterKill(), SplitMix64(seed: 1))
        for _ in 0..<Sweep.count(2, whole: 10) {
            let later = SimulatedDisk(state)
            let number = try await later.open().numbers(of: [CountedBatches(task: 1, width: 1)])[0]
            #expect(number == 1 || durability == .relaxed)
            state = last.state.afterPowerCut(&random)
        }
    }
}

/// What is cut off is whole in another file, or nothing is cut off.
@Suite struct KeptTailTests {
    private let path = SimulatedDisk.path

    private func torn() async throws -> (file: DamagedFiles, tail: [UInt8]) {
        let file = try await DamagedFiles(isClosed: false)
        return (file, Array(file.bytes[file.ends[4]...].dropLast()))
    }

    private func isKept(_ tail: [UInt8], of file: DamagedFiles, _ state: SimulatedDisk.State) -> Bool {
        let kept = state.names[path + ".torn"].flatMap { state.files[$0]?.bytes }
        return kept == tail || state.bytes.suffix(tail.count) == tail[...]
    }

    @Test(arguments: [EIO, ENOSPC]) func failureCutsNothing(_ code: Int32) async throws {
        let (file, tail) = try await torn()
        for failing in 0..<60 {
            let isReached = Lock(false)
            for isHalf in [true, false] {
                let disk = SimulatedDisk(.with(file.bytes.dropLast()))
                disk.plan { operation, number in
                    guard number >= failing else { return nil }
                    isReached.withLock { $0 = true }
                    let isFirst = isHalf && number == failing
                    switch operation {
                    case .write: return isFirst ? .half : .error(code)
                    case .open, .sync, .syncFolder: return code == EIO ? .error(code) : nil
                    default: return nil
                    }
                }
                let database = try? disk.open()
                let isWhole = isKept(tail, of: file, disk.state)
                #expect(isWhole, "call \(failing)")
                guard let database else { continue }
                #expect(try await database.numbers(of: [file.batches]) == [4])
                try? await database.close()
                let staysWhole = isKept(tail, of: file, disk.state)
                #expect(staysWhole, "closed after call \(failing)")
            }
            if !isReached.withLock({ $0 }) { return }
        }
    }

    @Test func lossOfPowerLosesNothing() async throws {
        let (file, tail) = try await torn()
        let disk = SimulatedDisk(.with(file.bytes.dropLast()))
        disk.record()
        _ = try disk.open()
        var random = SplitMix64(seed: 5)
        for moment in disk.moments {
            for _ in 0..<Sweep.count(5, whole: 50) {
                let isWhole = isKept(tail, of: file, moment.state.afterPowerCut(&random))
                #expect(isWhole, "before \(moment.operation)")
            }
        }
    }

    @Test func tailStaysUntilThereIsRoomForIt() async throws {
        let (file, tail) = try await torn()
        let disk = SimulatedDisk(.with(file.bytes.dropLast()))
        disk.plan { operation, _ in operation == .write ? .error(ENOSPC) : nil }
        let database = try disk.open()
        #expect(database.recoveredByteCount == tail.count)
        #expect(database.recoveredPath == nil)
        #expect(try await database.numbers(of: [file.batches]) == [4])
        for call in [
            { try await file.batches.save(5, in: database) }, { _ = try await database.compact() },
        ] as [() async throws -> Void] {
            await #expect {
                try await call()
            } throws: { error in
                guard let error = error as? RecordDatabaseError else { return false }
                return error.code == .diskFull && error.path == path + ".torn"
            }
        }
        #expect(disk.state.bytes == file.bytes.dropLast())
        disk.plan(nil)
        try await file.batches.save(5, in: database)
        #expect(database.recoveredPath == path + ".torn")
        #expect(disk.state.names[path + ".torn"].flatMap { disk.state.files[$0]?.bytes } == tail)
        #expect(try await disk.openForReading().numbers(of: [file.batches]) == [5])
    }
}
