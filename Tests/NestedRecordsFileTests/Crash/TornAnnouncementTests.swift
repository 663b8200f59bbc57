import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// A long batch that was interrupted while its header replaced its announcement.
@Suite struct TornAnnouncementTests {
    @Test func batchBeforeItIsThereWhereverTheHeaderIsTorn() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        let small = CountedBatches(width: 3, padding: 40)
        let long = CountedBatches(width: 3, padding: 400_000)
        try await disk.save(1, of: small, in: database)
        let (start, seed) = database.store.file.view.withLock { ($0.end, $0.seed) }
        try await disk.save(2, of: long, in: database)
        let whole = disk.state.bytes
        #expect(whole.count - start > BlockOutput.longestUnannounced)
        let header = Array(whole[start..<(start + BlockHeader.size)])
        let announcement = BlockHeader.announcement(at: start).bytes(seed: seed, at: start)
        for end in Sweep.some(3, of: [0, 3, 4, 5, 8, 24, 39, 40, 41, 47]) {
            for (first, second) in [(header, announcement), (announcement, header)] {
                let torn = Array(first[..<end] + second[end...])
                if torn == header { continue }
                var bytes = whole
                bytes.replaceSubrange(start..<(start + BlockHeader.size), with: torn)
                let later = SimulatedDisk(.with(bytes))
                let writer = try later.open()
                #expect(try await writer.numbers(of: [small]) == [1], "torn at byte \(end)")
                try await later.save(2, of: small, in: writer)
                #expect(try await writer.numbers(of: [small]) == [2])
            }
        }
    }

    @Test func otherBytesInPlaceOfTheHeaderAreDamage() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        let long = CountedBatches(width: 3, padding: 400_000)
        let (start, _) = database.store.file.view.withLock { ($0.end, $0.seed) }
        try await disk.save(1, of: long, in: database)
        var random = SplitMix64(seed: 1)
        for _ in 0..<Sweep.count(2, whole: 8) {
            var bytes = disk.state.bytes
            let flipped = start + Int.random(in: 0..<BlockHeader.size, using: &random)
            bytes[flipped] ^= UInt8.random(in: 1...255, using: &random)
            #expect(throws: RecordDatabaseError.self) { try SimulatedDisk(.with(bytes)).open() }
        }
    }
}
