import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// Random batches with versions, conditions and policies: a file and a database in memory make the same of them.
@Suite struct BatchHistoryTests {
    /// More of them with the variable `HISTORIES` in the environment.
    static let seeds =
        0..<(ProcessInfo.processInfo.environment["HISTORIES"].flatMap { UInt64($0) } ?? 20)

    @Test(arguments: seeds) func fileAgreesWithMemoryBatchByBatch(seed: UInt64) async throws {
        var history = try BatchHistory(seed: seed)
        try await history.run(steps: 60, batchesPerBlock: 1)
    }

    @Test(arguments: seeds) func fileAgreesWithMemoryWhereABlockHasSeveralBatches(seed: UInt64) async throws {
        var history = try BatchHistory(seed: seed)
        try await history.run(steps: 20, batchesPerBlock: 6)
    }
}

/// A random history of batches.
private struct BatchHistory {
    typealias Answer = Result<[Record.ID: Record.Metadata], any Error>

    private let seed: UInt64
    private var generator: SplitMix64
    private var batches: RandomBatches
    private let folder: TemporaryFolder
    private var file: FileRecordDatabase
    private let memory: InMemoryRecordDatabase
    private let options: FileRecordDatabase.Options
    private let date = Locked(Date(timeIntervalSinceReferenceDate: 0))

    /// The change tags of the file by those in memory.
    private var fileTags: [String: String] = [:]
    private var step = 0

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        batches = RandomBatches(seed: ~seed)
        folder = try TemporaryFolder()
        let date = date
        memory = InMemoryRecordDatabase(now: { date.withLock { $0 } })
        var options = FileRecordDatabase.Options()
        options.durability = .relaxed
        options.now = { date.withLock { $0 } }
        self.options = options
        file = try FileRecordDatabase(path: folder.path(), options: options)
        try file.prepareWhileWaiting()
    }

    mutating func run(steps: Int, batchesPerBlock: Int) async throws {
        for number in 0..<steps {
            step = number
            // Sometimes back: a clock may be set.
            let seconds = Double.random(in: -1...5, using: &generator)
            date.withLock { $0 += seconds }
            var sequence = file.store.writer.sync { $0.sequence }
            var made: [RecordBatch] = []
            var expected: [Answer] = []
            for _ in 0..<batchesPerBlock {
                let batch = try batches.next()
                made.append(batch.replacingTags { fileTags[$0] })
                let present = try await memory.records(for: batch.deletions.map(\.id)).count
                let answer = await Answer(of: batch, in: memory)
                batches.note(answer)
                if case .success(let saved) = answer {
                    for (position, record) in batch.saves.enumerated() {
                        guard let tag = saved[record.id]?.changeTag else { continue }
                        fileTags[tag] = String(sequence + UInt64(position) + 1, radix: 36)
                    }
                    sequence += UInt64(batch.saves.count + present)
                }
                expected.append(answer)
            }
            let answers = made.count == 1 ? [await Answer(of: made[0], in: file)] : await commitTogether(made)
            for position in made.indices {
                let (one, other) = (text(expected[position], isInFile: false), text(answers[position], isInFile: true))
                #expect(one == other, "seed \(seed), step \(step), batch \(position): \(made[position])")
            }
            try await compareRecords()
            if generator.chance(oneIn: 15) {
                try await file.close()
                file = try FileRecordDatabase(path: folder.path(), options: options)
                try await file.prepare()
            } else if generator.chance(oneIn: 15) {
                try await file.compact()
            }
        }
        try await file.close()
    }

    /// Has batches wait while the file is being written, so that they become one block.
    private func commitTogether(_ batches: [RecordBatch]) async -> [Answer] {
        let promises = batches.map { _ in Promise<[Record.ID: Record.Metadata]>() }
        file.store.writer.sync { _ in
            for (batch, promise) in zip(batches, promises) { file.store.committer.enqueue(batch, promise) }
        }
        var answers: [Answer] = []
        for promise in promises {
            do {
                answers.append(.success(try await promise.value()))
            } catch {
                answers.append(.failure(error))
            }
        }
        return answers
    }

    private func compareRecords() async throws {
        let (inMemory, inFile) = (try await memory.allRecords, try await file.allRecords)
        #expect(
            inMemory.values.map { text($0, isInFile: false) }.sorted()
                == inFile.values.map { text($0, isInFile: true) }.sorted(), "seed \(seed), step \(step)")
    }
}

// MARK: Comparing

extension BatchHistory {
    private func text(_ record: Record, isInFile: Bool) -> String {
        "\(record.id) \(record.fields) \(record.metadata.map { text($0, isInFile: isInFile) } ?? "-")"
    }

    private func text(_ metadata: Record.Metadata, isInFile: Bool) -> String {
        let tag = isInFile ? metadata.changeTag : fileTags[metadata.changeTag] ?? "unknown"
        return "\(tag) \(metadata.creationDate) \(metadata.modificationDate)"
    }

    private func text(_ answer: Answer, isInFile: Bool) -> String {
        switch answer {
        case .success(let saved):
            return saved.map { "\($0.key) \(text($0.value, isInFile: isInFile))" }.sorted().joined(separator: ", ")
        case .failure(let error):
            guard let error = error as? RecordDatabaseError else { return "\(error)" }
            let expected =
                isInFile ? error.expectedVersion : error.expectedVersion.map { $0.replacingTag { fileTags[$0] } }
            let server = error.serverRecord.map { text($0, isInFile: isInFile) }
            return "\(error.code) \(String(describing: error.recordID)) \(String(describing: expected)) "
                + "\(server ?? "-") \(String(describing: error.clientRecord?.fields))"
        }
    }
}
