import TestSupport
import Testing

@testable import NestedRecords

@Suite struct DeletionTests {
    /// A tree in which each record is owned by the one with half its number, and points back to what it owns.
    private func makeTree() throws -> [Record] {
        try (1...15).map { number in
            var record = try Flat.record("Node/\(number)")
            if number > 1 { record["owner"] = try Flat.owner("Node/\(number / 2)") }
            if number < 8 { record["owned"] = try Flat.references(["Node/\(number * 2)", "Node/\(number * 2 + 1)"]) }
            return record
        }
    }

    private func tree(limit: Int, _ log: ModifyLog) async throws -> BrokenDatabase {
        log.database(over: try await InMemoryRecordDatabase.holding(makeTree()), limit: limit)
    }

    @Test(arguments: [1, 2, 7, .max]) func batchesAreAsFewAsTheLimitAllows(limit: Int) async throws {
        let log = ModifyLog()
        let database = try await tree(limit: limit, log)
        let deleted = try await database.delete([Record.ID("Node/2")], [.cascading, .dangling])
        #expect(deleted.map(\.description).sorted() == [10, 11, 2, 4, 5, 8, 9].map { "Node/\($0)" })
        #expect(try await database.contents.sorted() == [1, 12, 13, 14, 15, 3, 6, 7].map { "Node/\($0)" })
        let limit = min(limit, 7)
        #expect(log.deletes.count == (7 + limit - 1) / limit)
        #expect(log.deletes.flatMap { $0 } == deleted.map(\.description))
    }

    @Test(arguments: [1, 2, 7]) func whatIsOwnedIsDeletedFirst(limit: Int) async throws {
        let log = ModifyLog()
        let database = try await tree(limit: limit, log)
        let deleted = try await database.delete([Record.ID("Node/1")], [.cascading, .dangling]).map(\.name).compactMap {
            Int($0)
        }
        #expect(deleted.sorted() == Array(1...15))
        for (position, number) in deleted.enumerated() where number > 1 {
            #expect(deleted[position...].contains(number / 2), "\(number) went after its owner")
        }
    }

    @Test(arguments: [1, 2, 7]) func failureInALaterBatchReportsDeletedRecordsAndCanBeRepeated(limit: Int) async throws
    {
        let log = ModifyLog(failingCall: 2)
        let database = try await tree(limit: limit, log)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.delete([Record.ID("Node/1")], [.cascading, .dangling])
        }
        #expect(error?.code == .partiallyDeleted && error?.underlyingError is Malfunction)
        let deleted = try #require(error?.deletedIDs)
        #expect(deleted.map(\.description) == log.deletes[0] && deleted.count == limit)
        #expect(try await database.records(for: deleted).isEmpty)
        #expect(try await database.contents.count == 15 - limit)
        let rest = try await database.delete([Record.ID("Node/1")], [.cascading, .dangling])
        #expect(rest.count == 15 - limit)
        #expect(try await database.contents.isEmpty)
    }

    @Test func failureInTheFirstBatchIsTheDatabasesOwn() async throws {
        let database = try await tree(limit: 2, ModifyLog(failingCall: 1))
        await #expect(throws: Malfunction.self) {
            try await database.delete([Record.ID("Node/1")], [.cascading, .dangling])
        }
        #expect(try await database.contents.count == 15)
    }

    @Test func plainDeletionAlsoReportsDeletedRecords() async throws {
        let database = try await tree(limit: 2, ModifyLog(failingCall: 2))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.delete(Flat.ids(["Node/1", "Node/2", "Node/3"]), .dangling)
        }
        #expect(error?.code == .partiallyDeleted && error?.underlyingError is Malfunction)
        #expect(error?.deletedIDs.map(\.name).sorted() == ["2", "3"])
    }

    @Test(arguments: [1, 2, 7, .max]) func theGivenRecordsAreDeletedSourcesFirst(limit: Int) async throws {
        let log = ModifyLog()
        let database = try await tree(limit: limit, log)
        let ids = try Flat.ids(["Node/1", "Node/99", "Node/2", "Node/1", "Node/4"])
        let deleted = try await database.delete(ids, .dangling)
        #expect(deleted.map(\.description) == ["Node/4", "Node/2", "Node/1"])
        #expect(log.deletes.flatMap { $0 } == deleted.map(\.description))
        #expect(try await database.contents.count == 12)
    }

    @Test func deletionThatLeavesReferencesFetchesItsRecordsAlone() async throws {
        let database = try await CountingDatabase(holding: makeTree())
        #expect(try await database.delete([Record.ID("Node/1")], .dangling) == [Record.ID("Node/1")])
        #expect(database.asked == ["Node/1"] && database.modifications.map(\.texts) == [["-Node/1"]])
    }

    @Test func deletingNothingCallsNothing() async throws {
        let log = ModifyLog()
        let database = try await tree(limit: 2, log)
        #expect(try await database.delete([Record.ID("Node/99")], [.cascading, .dangling]).isEmpty)
        #expect(try await database.delete([], .dangling).isEmpty)
        #expect(log.deletes.isEmpty)
    }

    @Test func recordThatIsSavedDuringTheDeletionGoesWithItsOwner() async throws {
        let late = try Flat.owned("Node/late", ["owner": "Node/1"])
        let isFirst = Locked(true)
        let database = BrokenDatabase(
            base: try await InMemoryRecordDatabase.holding(makeTree()),
            modify: { base, call in
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if isFirst {
                    try await ModifyCall(saves: [late], deletes: [], policy: .ifUnchanged).perform(in: base)
                }
                return try await call.perform(in: base)
            })
        #expect(try await database.delete([Record.ID("Node/1")], [.cascading, .dangling]).count == 16)
        #expect(try await database.contents.isEmpty)
    }

    @Test func recordThatIsListedTwiceIsDeletedOnce() async throws {
        let database = BrokenDatabase(
            base: try await InMemoryRecordDatabase.holding(makeTree()),
            list: { base, type in RecordSequence.changing(base, type) { $0 + $0 } })
        #expect(try await database.delete([Record.ID("Node/1")], [.cascading, .dangling]).count == 15)
    }

    @Test func cancelledDeletionDeletesNothing() async throws {
        let database = try await tree(limit: .max, ModifyLog())
        let id = try Record.ID("Node/1")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.delete([id], [.cascading, .dangling])
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.contents.count == 15)
    }

    @Test(.timeLimit(.minutes(60))) func longChainOfOwnedRecordsIsDeleted() async throws {
        let count = Sweep.count(4_000, whole: 20_000)
        let records = try (0..<count).map { number in
            try number == 0
                ? Flat.record("N/0") : Flat.owned("N/\(number)", ["owner": "N/\(number - 1)"])
        }
        let database = InMemoryRecordDatabase(batchLimit: count)
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let plan = try await database.deletionPlan(for: [Record.ID("N/0")], .cascading)
        #expect(plan.ids.count == count && plan.ids.first?.name == "\(count - 1)" && plan.ids.last?.name == "0")
        #expect(try plan.chain(from: Record.ID("N/\(count - 1)")).count == count)
        try await database.delete([Record.ID("N/0")], [.cascading, .dangling])
        #expect(try await database.contents.isEmpty)
    }
}
