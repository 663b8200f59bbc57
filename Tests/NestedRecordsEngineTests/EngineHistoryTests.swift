import Foundation
import NestedRecords
import TestSupport
import Testing

/// Random histories, step by step on databases of every kind: each step has the same answer on all.
@Suite(.serialized) struct EngineHistoryTests {
    /// More of them with the variable `HISTORIES` in the environment.
    static let seeds = 0..<(ProcessInfo.processInfo.environment["HISTORIES"].flatMap { UInt64($0) } ?? 6)

    @Test(.timeLimit(.minutes(60)), arguments: seeds)
    func everyStepHasTheSameAnswerOnAllDatabases(seed: UInt64) async throws {
        var history = try await EngineHistory(seed: seed)
        for step in 0..<80 { try await history.take(step) }
        try await history.end()
    }

    @Test func theHistoryBeginsWithTheFirstRecordOnAllDatabases() async throws {
        try await Engine.forEach { engine in
            let database = engine.database
            let ids = try ["A/kept", "A/gone", "B/changed"].map { try Record.ID($0) }
            let records = try ids.map { try Record(id: $0, fields: ["n": 1]) }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [ids[1]]))
            let changed = try Record(id: ids[2], fields: ["n": 2])
            try await database.commit(RecordBatch(saving: [changed], savePolicy: .overwrite))
            let changes = try await database.changes(since: database.oldestChangeToken(), limit: 100)
            #expect(changes.saved.map(\.id) == [ids[0], ids[2]], "\(engine.name)")
            #expect(changes.deleted == [ids[1]], "\(engine.name)")
        }
    }
}

/// A random history of saves, deletions, queries and feeds.
private struct EngineHistory {
    private let seed: UInt64
    private var generator: SplitMix64
    private var batches: RandomBatches
    private var queries: RandomQuery
    private let date: Locked<Date>
    private let folder: TemporaryFolder
    private var engines: [Engine]

    init(seed: UInt64) async throws {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        batches = RandomBatches(seed: ~seed)
        queries = RandomQuery(seed: seed &* 31)
        folder = try TemporaryFolder()
        let date = Locked(Date(timeIntervalSinceReferenceDate: 0))
        self.date = date
        let indexes =
            ["a", "b", .modificationDate].map { FieldIndex("Book", by: $0) } + [FieldIndex("Shelf", by: "c")]
            + RandomQuery.joinedIndexes
        engines = try await Engine.all(in: folder, indexes: indexes, now: { date.withLock { $0 } })
    }

    func end() async throws {
        for engine in engines { try await engine.end() }
    }

    /// Has every database do the same, and compares what they say.
    private mutating func compare(
        _ step: Int, _ what: String, _ body: (inout Engine) async throws -> String
    ) async throws {
        let expected = try await body(&engines[0])
        for number in engines.indices.dropFirst() {
            let found = try await body(&engines[number])
            #expect(found == expected, "\(engines[number].name), seed \(seed), step \(step): \(what)")
        }
    }

    mutating func take(_ step: Int) async throws {
        // Sometimes back: a clock may be set.
        let seconds = Double(Int.random(in: -1...5, using: &generator))
        date.withLock { $0 += seconds }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<5: try await commit(try batches.next(), step)
        case 5:
            let records = try queries.records().prefix(12)
            try await commit(RecordBatch(saving: Array(records), savePolicy: .overwrite), step)
        case 6:
            var batch = RecordBatch()
            batch.deletions = try queries.ids().map { RecordBatch.VersionedID($0) }
            try await commit(batch, step)
        case 7, 8: try await query(try queries.anyPageQuery(), step)
        case 9:
            let ids = try queries.ids()
            try await compare(step, "referrers of \(ids)") { engine in
                let found = try await engine.database.referrers(of: ids)
                return found.map { "\($0.key) \($0.value.map { "\($0)" }.sorted())" }.sorted().joined(separator: "\n")
            }
        case 10:
            let limit = generator.pick([1, 3, 100])
            for number in engines.indices {
                _ = try await engines[number].follower.readPage(of: engines[number].database, limit: limit)
            }
        default:
            for number in engines.indices {
                if generator.chance(oneIn: 2) { try await engines[number].compact() }
                if generator.chance(oneIn: 2) { try await engines[number].reopen() }
            }
        }
        if step % 10 == 9 { try await compareAll(step) }
    }

    private mutating func commit(_ batch: RecordBatch, _ step: Int) async throws {
        var saved: [Record.ID: Record.Metadata] = [:]
        try await compare(step, "\(batch)") { engine in
            let tags = engine.tags
            let isFirst = engine.name == "memory"
            let own = isFirst ? batch : batch.replacingTags { tags[$0] }
            let answer = await Result(of: own, in: engine.database)
            if isFirst { saved = (try? answer.get()) ?? [:] }
            for (id, metadata) in (try? answer.get()) ?? [:] {
                if let first = saved[id]?.changeTag { engine.tags[first] = metadata.changeTag }
            }
            return Self.text(answer, of: batch, in: engine)
        }
        if !saved.isEmpty { batches.note(.success(saved)) }
    }

    private mutating func query(_ query: RecordQuery, _ step: Int) async throws {
        if query.names([.changeTag]) { return }
        try await compare(step, "\(query)") { engine in
            var (query, text) = (query, "")
            // All pages, each with the cursor of the database itself.
            repeat {
                let page = try await engine.database.page(query)
                text += page.records.map { "\($0.id) \($0.fields)" }.joined(separator: "\n") + "\n|\n"
                query.after = page.next
            } while query.after != nil && query.limit ?? 1 > 0
            return try await text + "\(engine.database.count(query))"
        }
    }

    private mutating func compareAll(_ step: Int) async throws {
        let seed = seed
        try await compare(step, "all records") { engine in
            let all = try await engine.database.allRecords
            try await engine.follower.catchUp(with: engine.database)
            #expect(engine.follower.records == all, "\(engine.name), seed \(seed), step \(step)")
            let fetched = try await engine.database.records(for: Array(all.keys))
            #expect(Set(fetched) == Set(all.values), "\(engine.name), seed \(seed), step \(step)")
            // The whole history leads to the same records.
            var again = ChangeFollower(token: try await engine.database.oldestChangeToken())
            try await again.catchUp(with: engine.database)
            #expect(again.records == all, "\(engine.name), seed \(seed), step \(step)")
            return all.values.map { Self.text($0) }.sorted().joined(separator: "\n")
        }
    }
}

// MARK: Texts without change tags, which differ

extension EngineHistory {
    private static func text(_ record: Record) -> String {
        "\(record.id) \(record.fields) \(record.metadata.map { text($0) } ?? "-")"
    }

    private static func text(_ metadata: Record.Metadata) -> String {
        "\(metadata.creationDate.timeIntervalSinceReferenceDate) "
            + "\(metadata.modificationDate.timeIntervalSinceReferenceDate)"
    }

    private static func text(
        _ answer: Result<[Record.ID: Record.Metadata], any Error>, of batch: RecordBatch, in engine: Engine
    ) -> String {
        switch answer {
        case .success(let saved): return saved.map { "\($0.key) \(text($0.value))" }.sorted().joined(separator: ", ")
        case .failure(let error):
            guard let error = error as? RecordDatabaseError else { return "\(error)" }
            return "\(error.code) \(String(describing: error.recordID)) \(error.serverRecord.map { text($0) } ?? "-") "
                + "\(String(describing: error.clientRecord?.fields))"
        }
    }
}
