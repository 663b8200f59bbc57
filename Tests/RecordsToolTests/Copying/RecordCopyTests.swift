import NestedRecords
import TestSupport
import Testing

@testable import records

@Suite struct RecordCopyTests {
    private static let count = 2 * RecordPages.usualCount + 500

    private static func records(_ count: Int = count) throws -> [Record] {
        try (0..<count).map { try Record(id: Record.ID(type: "A", name: "\($0)"), fields: ["n": .int(Int64($0))]) }
    }

    private static func database(_ records: [Record]) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: records))
        return database
    }

    private func copy(
        from source: any RecordDatabase, to target: any RecordDatabase, overwrites: Bool = false
    ) -> RecordCopy {
        RecordCopy(from: source, named: "FROM", to: target, named: "TO", overwrites: overwrites)
    }

    private var bar: ProgressBar {
        ProgressBar("", on: Console(outputDescriptor: -1, errorDescriptor: -1, environment: [:]).statusLine)
    }

    @Test func copyIsEqualAndVerified() async throws {
        let (source, target) = (try await Self.database(try Self.records()), InMemoryRecordDatabase())
        var copy = copy(from: source, to: target)
        try await copy.copy(progress: bar)
        #expect(copy.counts == RecordCopy.Counts(copied: Self.count))
        #expect(try await copy.verify(progress: bar).count == Self.count)
        var again = self.copy(from: source, to: target)
        try await again.copy(progress: bar)
        #expect(again.counts == RecordCopy.Counts(present: Self.count))
        #expect(try await again.verify(progress: bar) == copy.verify(progress: bar))
    }

    @Test func interruptedCopyHasWholeBatchesAndGoesOn() async throws {
        let source = try await Self.database(try Self.records())
        let base = InMemoryRecordDatabase()
        let batches = Locked(0)
        let target = BrokenDatabase(
            base: base,
            modify: { base, call in
                if batches.withLock({
                    $0 += 1; return $0
                }) == 2 {
                    throw CancellationError()
                }
                return try await call.perform(in: base)
            })
        var copy = copy(from: source, to: target)
        await #expect(throws: CancellationError.self) { try await copy.copy(progress: bar) }
        #expect(copy.counts == RecordCopy.Counts(copied: RecordPages.usualCount))
        #expect(try await base.count(RecordQuery("A")) == RecordPages.usualCount)
        var again = self.copy(from: source, to: target)
        try await again.copy(progress: bar)
        #expect(
            again.counts
                == RecordCopy.Counts(
                    copied: Self.count - RecordPages.usualCount, present: RecordPages.usualCount))
        #expect(try await again.verify(progress: bar).count == Self.count)
    }

    /// Records that cancel the task which asks for one in the middle.
    private struct CancellingRecords: AsyncIteratorProtocol {
        let records: [Record]
        var position = 0

        mutating func next() async -> Record? {
            if position == 1_500 { withUnsafeCurrentTask { $0?.cancel() } }
            defer { position += 1 }
            return position < records.count ? records[position] : nil
        }
    }

    @Test func cancelledCopyEndsBetweenTwoBatches() async throws {
        let records = try Self.records()
        let source = BrokenDatabase(list: { _, _ in
            RecordSequence { CancellingRecords(records: records) }
        })
        let target = InMemoryRecordDatabase()
        let start = copy(from: source, to: target)
        let bar = bar
        let task = Task {
            var copy = start
            try await copy.copy(progress: bar)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let count = try await target.count(RecordQuery("A"))
        #expect(count == 2 * RecordPages.usualCount)
    }

    @Test func recordsThatDifferAreRefusedOrReplaced() async throws {
        let records = try Self.records()
        let source = LoadedRecords(records, name: "FROM")
        let other = try Record(id: records[7].id, fields: ["n": -1])
        let own = try Record(id: Record.ID("B/own"))
        let target = try await Self.database([other, own])
        var copy = copy(from: source, to: target)
        let error = await #expect(throws: InputError.self) { try await copy.copy(progress: bar) }
        #expect(try #require(error).description.hasPrefix("TO: A/7 exists with other content than in FROM; "))
        #expect(copy.counts == RecordCopy.Counts())
        #expect(try await target.count(RecordQuery("A")) == 1)
        copy = self.copy(from: source, to: target, overwrites: true)
        try await copy.copy(progress: bar)
        #expect(copy.counts == RecordCopy.Counts(copied: Self.count - 1, replaced: 1))
        #expect(try await copy.verify(progress: bar).count == Self.count)
        #expect(try await target.record(for: own.id) != nil)
        #expect(try await target.record(for: other.id)?.fields == records[7].fields)
    }

    @Test func savesOfOthersDuringACopyAreNotReplaced() async throws {
        let records = try Self.records(2)
        let target = BrokenDatabase(modify: { base, call in
            try await base.commit(RecordBatch(saving: [try Record(id: records[1].id, fields: ["n": -1])]))
            return try await call.perform(in: base)
        })
        var copy = copy(from: try await Self.database(records), to: target)
        let error = await #expect(throws: RecordDatabaseError.self) { try await copy.copy(progress: bar) }
        #expect(error?.code == .conflict && error?.recordID == records[1].id)
        #expect(try await target.base.record(for: records[1].id)?.fields == ["n": -1])
        #expect(try await target.base.record(for: records[0].id) == nil)
    }

    @Test(arguments: ["has no A/3", "has A/3 with other content than FROM"])
    func copyThatIsNotEqualIsNotVerified(_ what: String) async throws {
        let records = try Self.records(10)
        let isMissing = what.hasPrefix("has no")
        let target = BrokenDatabase(fetch: { base, ids in
            try await base.records(for: ids).compactMap { record in
                guard record.id == records[3].id else { return record }
                return isMissing ? nil : try Record(id: record.id, fields: ["n": .double(3)], metadata: record.metadata)
            }
        })
        var copy = copy(from: try await Self.database(records), to: target)
        try await copy.copy(progress: bar)
        let error = await #expect(throws: InputError.self) { _ = try await copy.verify(progress: bar) }
        #expect(try #require(error).description.hasPrefix("TO: \(what): a database changed during the copy; "))
    }

    @Test(arguments: [-1, 1]) func sourceThatChangesIsNotVerified(_ change: Int) async throws {
        let records = try Self.records(10)
        let source = InMemoryRecordDatabase()
        try await source.commit(RecordBatch(saving: Array(records.prefix(9))))
        let target = InMemoryRecordDatabase()
        var copy = copy(from: source, to: target)
        try await copy.copy(progress: bar)
        if change > 0 {
            for database in [source, target] { try await database.commit(RecordBatch(saving: [records[9]])) }
        } else {
            try await source.commit(RecordBatch(deletingAnyVersionOf: [records[0].id]))
        }
        let error = await #expect(throws: InputError.self) { _ = try await copy.verify(progress: bar) }
        #expect(try #require(error).description.hasPrefix("FROM: changed during the copy"))
    }

    @Test func pagesAreBoundedByBytes() async throws {
        let text = String(repeating: "x", count: RecordPages.usualByteCount / 3)
        let records = try (0..<7).map { try Record(id: Record.ID("A/\($0)"), fields: ["text": .string(text)]) }
        var pages = RecordPages(of: RecordSequence(records), progress: nil)
        var counts: [Int] = []
        while let page = try await pages.next() { counts.append(page.count) }
        #expect(counts == [3, 3, 1])
    }

    @Test func timeOfSavingCannotBeCopied() async throws {
        let record = try Record(id: Record.ID("A/1"), fields: ["at": .list([.serverTimestamp])])
        var copy = copy(from: LoadedRecords([record], name: "FROM"), to: InMemoryRecordDatabase())
        let error = await #expect(throws: InputError.self) { try await copy.copy(progress: bar) }
        #expect(try #require(error).description.hasPrefix("FROM: A/1 has the time of saving in a field"))
    }

    @Test func comparedRecordsAreSavedOverTheVersionsThatWereCompared() async throws {
        let database = try await Self.database([Flat.record("A/1", ["n": 1]), Flat.record("A/2", ["n": 1])])
        var counts = SaveCounts()
        let records = [try Flat.record("A/1", ["n": 2]), try Flat.record("A/2", ["n": 1]), try Flat.record("A/3", [:])]
        let wanted = try await counts.add(records, in: database, named: "a") { _ in }
        #expect(wanted.map(\.id.name) == ["1", "3"])
        let stored = try await database.records(for: [Record.ID("A/1")])
        #expect(wanted.map(\.metadata?.changeTag) == [stored.first?.metadata?.changeTag, nil])
    }
}
