import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct ReaderBesideWriterTests {
    private let batches = CountedBatches(width: 2)

    /// Has the writer get ahead between any two calls of a reader.
    private func check(_ moments: [SimulatedDisk.Moment]) async throws -> Int {
        var count = 0
        for (first, moment) in moments.enumerated() {
            for later in [first + 1, first + 2, first + 5, moments.count - 1] where later < moments.count {
                for call in 0..<6 {
                    let disk = SimulatedDisk(moment.state)
                    let next = moments[later].state
                    disk.plan { [weak disk] _, number in
                        guard number == call else { return nil }
                        disk?.change { state in
                            (state.files, state.names, state.progress) = (next.files, next.names, next.progress)
                        }
                        return nil
                    }
                    let place =
                        "reader's call \(call), writer from \(first) to \(later), before \(moments[later].operation)"
                    do {
                        let number = try await disk.openForReading().numbers(of: [batches])[0]
                        let progress = (moment.state.progress[0], next.progress[0])
                        let range = (progress.0?.acknowledged ?? 0)...(progress.1?.attempted ?? 0)
                        try #require(range.contains(number), "\(place): \(number), not in \(range)")
                    } catch let error as RecordDatabaseError {
                        Issue.record("\(place): \(error)")
                        return count
                    }
                    count += 1
                }
            }
        }
        return count
    }

    @Test func readerSeesWholeBatchesWhileOneWritesAndCompacts() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        disk.record()
        for number in 1...4 {
            try await disk.save(number, of: batches, in: database)
            if number == 2 { try await database.compact() }
        }
        print("reader beside a writer that compacts: \(try await check(disk.moments)) cases")
    }

    @Test func readerSeesWholeBatchesWhileOneCloses() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        disk.record()
        for number in 1...2 { try await disk.save(number, of: batches, in: database) }
        try await database.close()
        print("reader beside a writer that closes: \(try await check(disk.moments)) cases")
    }

    @Test func readerSeesWholeBatchesWhileWritesFail() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        try await disk.save(1, of: batches, in: database)
        disk.record()
        let writes = Lock(0)
        disk.plan { operation, _ in
            guard operation == .write else { return nil }
            let number = writes.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .half : number == 2 ? .error(ENOSPC) : nil
        }
        await #expect(throws: RecordDatabaseError.self) { try await disk.save(2, of: batches, in: database) }
        for number in 2...3 { try await disk.save(number, of: batches, in: database) }
        print("reader beside a writer on a full disk: \(try await check(disk.moments)) cases")
    }

    @Test func readerOfRealFileNeverGoesBackwards() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path()
        let writer = try FileRecordDatabase(path: path)
        let isWriting = Lock(true)
        async let written: Void = { [batches] in
            defer { isWriting.withLock { $0 = false } }
            for number in 1...60 {
                try await batches.save(number, in: writer)
                if number % 5 == 0 { try await writer.compact() }
            }
        }()
        var (last, opened) = (0, 0)
        while isWriting.withLock({ $0 }) {
            // By one scan alone: a fetch after it may find a later batch.
            let reader = try FileRecordDatabase(path: path, options: .readOnly)
            let records = try await reader.records(ofType: nil).reduce(into: [:]) { $0[$1.id] = $1 }
            let number = try batches.number(in: records)
            try #require(number >= last)
            (last, opened) = (number, opened + 1)
            await Task.yield()
        }
        try await written
        print("openings beside a writer: \(opened) cases")
        #expect(last > 1)
    }
}
