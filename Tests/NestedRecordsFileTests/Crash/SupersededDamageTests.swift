import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// Damage in a version that a later one has superseded hinders nobody but a verification, which names it.
@Suite struct SupersededDamageTests {
    private let disk = SimulatedDisk()

    /// Where the entries of a batch begin and end.
    private func save(
        _ names: [String], deleting deleted: [String] = [], _ number: Int64, in database: FileRecordDatabase
    ) async throws -> [Range<Int>] {
        let start = disk.state.bytes.count
        try await database.commit(
            RecordBatch(
                saving: names.map { try Flat.record($0, ["n": .int(number)]) },
                deletingAnyVersionOf: deleted.map { try Record.ID($0) }, savePolicy: .overwrite))
        let bytes = disk.state.bytes
        var entries: [Range<Int>] = []
        var offset = start + BlockHeader.size
        while offset < bytes.count {
            let length = bytes[offset...].withUnsafeBytes { LogEntry.headerSize + Int($0.fixed(UInt32.self, at: 0)) }
            entries.append(offset..<offset + length)
            offset += length
        }
        return entries
    }

    private func numbers(in database: FileRecordDatabase) async throws -> [String: Record.Value] {
        var numbers: [String: Record.Value] = [:]
        for try await record in database.records(ofType: nil) { numbers["\(record.id)"] = record["n"] }
        return numbers
    }

    /// A file without a saved index: its bytes, and the entries that nobody needs, and those that somebody does.
    private func file(isClosed: Bool) async throws -> (bytes: [UInt8], dead: [Range<Int>], live: [Range<Int>]) {
        let database = try disk.open()
        let first = try await save(["A/1", "A/2", "A/3"], 1, in: database)
        let second = try await save(["A/1", "A/3"], deleting: ["A/2"], 2, in: database)
        let third = try await save(["A/1", "A/2"], 3, in: database)
        _ = try await save(["A/4"], 4, in: database)
        if isClosed { try await database.close() }
        // Of the second batch: the first version of two and the deletion that a later save supersedes.
        return (disk.state.bytes, first + [second[0], second[2]], [second[1]] + third)
    }

    private let expected: [String: Record.Value] = ["A/1": 3, "A/2": 3, "A/3": 2, "A/4": 4]

    /// Whatever bit of the checksum, the kind, the ID and the fields is damaged.
    @Test(arguments: [false, true]) func fileOpensWithADamagedVersionThatIsSuperseded(isClosed: Bool) async throws {
        let (bytes, dead, _) = try await file(isClosed: isClosed)
        for entry in dead {
            for offset in entry.dropFirst(4) {
                for bit in Sweep.isWhole ? 0..<8 : offset % 8..<offset % 8 + 1 {
                    var damaged = bytes
                    damaged[offset] ^= 1 << bit
                    let damagedDisk = SimulatedDisk(.with(damaged))
                    let database = try damagedDisk.open()
                    #expect(try await numbers(in: database) == expected, "bit \(bit) of byte \(offset)")
                    let problems = try await database.verify()
                    #expect(problems.map(\.offset) == [entry.lowerBound] && problems.allSatisfy(\.isDead))
                    try await database.compact()
                    #expect(try await database.verify() == [])
                    #expect(try await numbers(in: database) == expected)
                }
            }
        }
    }

    /// Also where its damaged ID is that of a record with a later version.
    @Test(arguments: [false, true]) func fileWithADamagedNewestVersionDoesNotOpen(isClosed: Bool) async throws {
        let (bytes, _, live) = try await file(isClosed: isClosed)
        for entry in live {
            for offset in entry {
                for bit in Sweep.some(3, of: 0..<8) {
                    var damaged = bytes
                    damaged[offset] ^= 1 << bit
                    let damagedDisk = SimulatedDisk(.with(damaged))
                    #expect(throws: RecordDatabaseError.self, "bit \(bit) of byte \(offset)") {
                        try damagedDisk.open()
                    }
                }
            }
        }
    }

    @Test func damagedLengthOfASupersededVersionIsAnError() async throws {
        let (bytes, dead, _) = try await file(isClosed: true)
        var damaged = bytes
        damaged[dead[0].lowerBound] ^= 1
        let damagedDisk = SimulatedDisk(.with(damaged))
        #expect(throws: RecordDatabaseError.self) { try damagedDisk.open() }
    }

    @Test func feedSkipsADamagedVersionThatIsSuperseded() async throws {
        let database = try disk.open()
        let start = try await database.changeToken()
        let first = try await save(["A/1", "A/2", "A/3"], 1, in: database)
        let second = try await save(["A/1"], deleting: ["A/2"], 2, in: database)
        _ = try await save(["A/2"], 3, in: database)
        for entry in [first[0], first[1], second[1]] {
            for offset in entry.dropFirst(4) {
                disk.flip(offset % 8, of: offset)
                for limit in [1, 2, 10] {
                    var (token, saved) = (start, [Record.ID: Record.Value]())
                    var isComplete = false
                    while !isComplete {
                        let changes = try await database.changes(since: token, limit: limit)
                        for record in changes.saved { saved[record.id] = record["n"] }
                        #expect(changes.deleted == [])
                        (token, isComplete) = (changes.token, changes.isComplete)
                    }
                    #expect(Set(saved.values) == [1, 2, 3] && saved.count == 3, "byte \(offset)")
                }
                disk.flip(offset % 8, of: offset)
            }
        }
        // That of the third record is the newest one.
        for offset in first[2] {
            disk.flip(offset % 8, of: offset)
            await #expect(throws: RecordDatabaseError.self, "byte \(offset)") {
                try await database.changes(since: start, limit: 10)
            }
            disk.flip(offset % 8, of: offset)
        }
    }

    @Test func readerTakesInADamagedVersionThatIsSuperseded() async throws {
        let database = try disk.open()
        _ = try await save(["A/0"], 0, in: database)
        let reader = try disk.openForReading()
        let first = try await save(["A/1"], 1, in: database)
        _ = try await save(["A/1"], 2, in: database)
        disk.flip(3, of: first[0].upperBound - 1)
        #expect(try await numbers(in: reader) == ["A/0": 0, "A/1": 2])
    }

    @Test func damageUpToATokenHindersNoFeed() async throws {
        let database = try disk.open()
        let first = try await save(["A/1"], 1, in: database)
        let token = try await database.changeToken()
        _ = try await save(["A/2"], 2, in: database)
        disk.flip(3, of: first[0].upperBound - 1)
        #expect(try await database.changes(since: token, limit: 10).saved.map(\.id.name) == ["2"])
    }
}
