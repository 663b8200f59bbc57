import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct BusyCompactionTests {
    @Test func compactionsBesideEightWritersAndReadersLoseNothing() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path()
        let batches = (0..<8).map { CountedBatches(task: $0, width: 4, padding: 2_000) }
        let last = 60
        do {
            var options = FileRecordDatabase.Options()
            options.compactionThreshold = 0.2
            let database = try FileRecordDatabase(path: path, options: options)
            let isWriting = Lock(true)
            let (compactions, scans) = (Lock(0), Lock(0))
            try await withThrowingTaskGroup(of: Void.self) { readers in
                readers.addTask {
                    while isWriting.withLock({ $0 }) {
                        try await database.compact()
                        compactions.withLock { $0 += 1 }
                    }
                }
                for isInside in [true, false] {
                    readers.addTask {
                        var seen = Array(repeating: 0, count: batches.count)
                        while isWriting.withLock({ $0 }) {
                            let reader = isInside ? database : try FileRecordDatabase(path: path, options: .readOnly)
                            // A fetch may see more than the scan before it.
                            var scanned: [Record.ID: Record] = [:]
                            for try await record in reader.records(ofType: nil) { scanned[record.id] = record }
                            let numbers = try batches.map { try $0.number(in: scanned) }
                            #expect(zip(numbers, seen).allSatisfy { $0 >= $1 })
                            seen = numbers
                            scans.withLock { $0 += 1 }
                            await Task.yield()
                        }
                    }
                }
                try await withThrowingTaskGroup(of: Void.self) { writers in
                    for batches in batches {
                        writers.addTask {
                            for number in 1...last { try await batches.save(number, in: database) }
                        }
                    }
                    try await writers.waitForAll()
                }
                isWriting.withLock { $0 = false }
                try await readers.waitForAll()
            }
            #expect(try await database.numbers(of: batches) == batches.map { _ in last })
            #expect(try await database.verify().filter { !$0.isDead } == [])
            print("compactions beside writers: \(compactions.withLock { $0 }), scans: \(scans.withLock { $0 })")
        }
        let again = try FileRecordDatabase(path: path)
        #expect(try await again.numbers(of: batches) == batches.map { _ in last })
        #expect(try folder.names == ["test.records"])
    }
}
