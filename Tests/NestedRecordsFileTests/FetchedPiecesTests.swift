import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// A fetch reads what is close together in the file at once.
@Suite struct FetchedPiecesTests {
    /// A database on a disk that counts its reads from now on.
    private struct Counted {
        let disk = SimulatedDisk()
        let database: FileRecordDatabase
        let lengths = Locked<[Int]>([])

        init(_ records: [Record]) async throws {
            var system = disk.system
            system.read = { [read = system.read, lengths] descriptor, bytes, offset in
                lengths.withLock { $0.append(bytes.count) }
                return read(descriptor, bytes, offset)
            }
            var options = FileRecordDatabase.Options()
            options.compactionThreshold = nil
            database = try FileRecordDatabase(path: SimulatedDisk.path, options: options, system: system)
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            lengths.withLock { $0 = [] }
        }

        func fetch(_ ids: [Record.ID]) async throws -> (found: [Record], reads: [Int]) {
            lengths.withLock { $0 = [] }
            let found = try await database.records(for: ids)
            return (found, lengths.withLock { $0 })
        }
    }

    private func records(_ count: Int, bytes: Int) throws -> [Record] {
        let text = Record.Value.string(String(repeating: "x", count: bytes))
        return try (0..<count).map { try Flat.record("A/\($0)", ["n": .int(Int64($0)), "text": text]) }
    }

    @Test func neighboursAreReadInPiecesOfBoundedLength() async throws {
        let records = try records(3_000, bytes: 500)
        let counted = try await Counted(records)
        let (found, reads) = try await counted.fetch(records.shuffled().map(\.id))
        #expect(found.map(\.id) == records.map(\.id) && found.map(\.fields) == records.map(\.fields))
        // Together 1.6 MB.
        #expect(reads.count < 10)
        #expect(reads.allSatisfy { $0 <= 1 << 20 })
    }

    @Test func smallGapsAreReadAndLargeOnesAreNot() async throws {
        let near = try await Counted(records(100, bytes: 500))
        let ids = try (0..<100).map { try Record.ID("A/\($0)") }
        #expect(try await near.fetch([ids[10], ids[12], ids[20]]).reads.count == 1)
        let far = try await Counted(records(100, bytes: 20_000))
        #expect(try await far.fetch([ids[10], ids[12], ids[20]]).reads.count == 3)
        #expect(try await far.fetch([ids[10], ids[11], ids[12]]).reads.count == 1)
    }

    @Test func longRecordIsReadAlone() async throws {
        let long = try Flat.record("A/long", ["text": .string(String(repeating: "y", count: 3 << 20))])
        let others = try records(40, bytes: 10)
        let records = others[..<20] + [long] + others[20...]
        let counted = try await Counted(Array(records))
        let (found, reads) = try await counted.fetch(records.map(\.id))
        #expect(found.map(\.fields) == records.map(\.fields))
        #expect(reads.count == 3)
    }

    @Test func missingRecordsAndRepeatedIDsChangeNothing() async throws {
        let records = try records(50, bytes: 10)
        let counted = try await Counted(records)
        let others = try ["A/absent", "B/1"].map { try Record.ID($0) }
        let ids = records.map(\.id)
        #expect(try await counted.fetch(others + ids + others + ids.reversed()).found.map(\.id) == ids)
        #expect(try await counted.fetch(others).found.isEmpty)
        #expect(try await counted.fetch([]).found.isEmpty)
    }

    @Test func damageBetweenTheRecordsIsNoneOfTheirs() async throws {
        let records = try records(3, bytes: 500)
        let counted = try await Counted(records)
        let place = try #require(counted.database.store.file.view.withLock { $0.index.places() }.dropFirst().first)
        let offset = EntryLocation.offset(place)
        counted.disk.changeFile { $0.write([$0.bytes[offset + 20] ^ 1], at: offset + 20) }
        #expect(try await counted.fetch([records[0].id, records[2].id]).found.count == 2)
        let error = await #expect(throws: RecordDatabaseError.self) { try await counted.fetch(records.map(\.id)) }
        #expect(error?.code == .corrupt && error?.offset == offset)
    }

    @Test func recordsAfterTheEndOfTheFileAreCutOff() async throws {
        let records = try records(3, bytes: 500)
        let counted = try await Counted(records)
        let places = counted.database.store.file.view.withLock { $0.index.places() }
        let offset = EntryLocation.offset(places[2])
        counted.disk.changeFile { $0.resize(to: offset + 100) }
        #expect(try await counted.fetch([records[0].id, records[1].id]).found.count == 2)
        let error = await #expect(throws: RecordDatabaseError.self) { try await counted.fetch(records.map(\.id)) }
        #expect(error?.code == .corrupt && error?.offset == offset && error?.reason == "a record is cut off")
    }
}

extension SimulatedDisk {
    /// Changes the file without the database.
    fileprivate func changeFile(_ body: (inout SimulatedFile) -> Void) {
        change { state in
            guard let number = state.names[Self.path], var file = state.files[number] else { return }
            body(&file)
            state.files[number] = file
        }
    }
}
