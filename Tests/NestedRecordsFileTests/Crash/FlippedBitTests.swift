import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FlippedBitTests {
    @Test(arguments: [(false, false), (true, false), (true, true)])
    func flippedBitNeverGivesWrongData(_ isClosed: Bool, _ isCompacted: Bool) async throws {
        let file = try await DamagedFiles(isClosed: isClosed, isCompacted: isCompacted, count: 4)
        var (count, errors, cuts) = (0, 0, 0)
        for offset in file.offsets(sample: 150) {
            for bit in Sweep.isWhole ? 0..<8 : offset % 8..<offset % 8 + 1 {
                var bytes = file.bytes
                bytes[offset] ^= 1 << bit
                count += 1
                switch try await file.outcome(of: bytes) {
                case .error: errors += 1
                case .batch(4):
                    // Only what nobody needs may be damaged: a superseded version, or in a compacted file more than that.
                    let problems = try await SimulatedDisk(.with(bytes)).open().verify()
                    let isDead = !problems.isEmpty && problems.allSatisfy(\.isDead)
                    try #require(
                        offset < 4_144 || isCompacted || isDead, "bit \(bit) of byte \(offset) goes unnoticed")
                case .batch(let number):
                    // A batch that was being written when the power was cut looks like this.
                    try #require(number == 3 && !isClosed && offset >= file.ends[3], "bit \(bit) of byte \(offset)")
                    cuts += 1
                }
            }
        }
        #expect(isClosed == (cuts == 0))
        #expect(errors > 0)
        print(
            "flipped bits, closed: \(isClosed), compacted: \(isCompacted): \(count) cases, \(errors) errors, \(cuts) cuts"
        )
    }

    @Test func verificationNamesTheDamagedEntry() async throws {
        let file = try await DamagedFiles(isClosed: true, count: 2)
        let disk = SimulatedDisk(.with(file.bytes))
        let database = try disk.open()
        let view = try database.store.file.currentView()
        var count = 0
        for place in view.index.places() {
            let offset = EntryLocation.offset(place)
            for position in offset..<(offset + EntryLocation.length(place)) {
                for bit in Sweep.isWhole ? 0..<8 : position % 8..<position % 8 + 1 {
                    try await expectProblem(.entry, at: offset, whenFlipping: bit, of: position, on: disk, database)
                    count += 1
                }
            }
        }
        for start in file.ends.dropLast() {
            for position in start..<(start + BlockHeader.size) {
                try await expectProblem(.batch, at: start, whenFlipping: position % 8, of: position, on: disk, database)
                count += 1
            }
        }
        #expect(try await database.verify() == [])
        print("flipped bits that a verification names: \(count) cases")
    }

    private func expectProblem(
        _ kind: FileRecordDatabase.Problem.Kind, at offset: Int, whenFlipping bit: Int, of position: Int,
        on disk: SimulatedDisk,
        _ database: FileRecordDatabase
    ) async throws {
        disk.flip(bit, of: position)
        let problems = try await database.verify()
        disk.flip(bit, of: position)
        let isNamed = problems.contains { $0.offset == offset && $0.kind == kind && !$0.isDead }
        try #require(isNamed, "bit \(bit) of byte \(position) in the \(kind) at \(offset): \(problems)")
    }
}

extension SimulatedDisk {
    /// Damages the database's file under the hands of those who have it open.
    func flip(_ bit: Int, of position: Int) {
        change { state in
            guard let number = state.names[Self.path], let byte = state.files[number]?.bytes[position] else { return }
            state.files[number]?.write([byte ^ 1 << bit], at: position)
        }
    }
}
