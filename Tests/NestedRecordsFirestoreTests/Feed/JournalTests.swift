import Foundation
import NestedRecordsHTTP
import NestedRecordsSync
import TestSupport
import Testing

@testable import HTTPTestSupport
@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsFirestore

struct JournalTests {
    private func record(_ name: String, _ number: Int64 = 0) throws -> Record {
        try Record(id: Record.ID(type: "School", name: name), fields: ["number": .int(number)])
    }

    private func options(length: Int) -> FirestoreRecordDatabase.Options {
        var options = FirestoreRecordDatabase.Options.withJournal
        options.journal?.length = length
        return options
    }

    private func expiry(_ body: () async throws -> Void) async throws -> ChangeToken.Expiry? {
        do {
            try await body()
            return nil
        } catch let error as RecordDatabaseError {
            #expect(error.code == .changeTokenExpired)
            return error.expiry
        }
    }

    @Test func commitsOfSeveralProcessesAreInTheFeedOfEach() async throws {
        let server = StandInServer()
        let databases = try (0..<4).map { _ in try database(server, options: .withJournal) }
        let feed = try #require(databases[0].feed)
        let start = try await feed.changeToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, database) in databases.enumerated() {
                group.addTask {
                    for count in 0..<10 {
                        try await database.commit(RecordBatch(saving: [record("\(number) \(count)")]))
                    }
                }
            }
            try await group.waitForAll()
        }
        var (token, found) = (start, Set<Record.ID>())
        while true {
            let page = try await feed.changes(since: token, limit: 7)
            found.formUnion(page.saved.map(\.id))
            token = page.token
            if page.isComplete { break }
        }
        #expect(found.count == 40)
        #expect(try await databases[3].feed?.changeToken() == token)
    }

    @Test func batchOfAnyPolicyWithLostAnswersIsAppliedOnce() async throws {
        let server = StandInServer()
        var faults = StandInTransport.Faults()
        (faults.lostAnswers, faults.cutAnswers, faults.doubledRequests) = (0.3, 0.1, 0.1)
        let faulty = try database(server, faults: faults, options: .withJournal)
        let plain = try database(server, options: .withJournal)
        let start = try await #require(plain.feed).changeToken()
        for number in 0..<30 {
            let batch = RecordBatch(
                saving: [try record("a", Int64(number))], deletingAnyVersionOf: [try record("b").id],
                savePolicy: .overwrite)
            let metadata = try await faulty.commit(batch)
            #expect(
                try await plain.record(for: record("a").id)?.metadata?.changeTag == metadata.values.first?.changeTag)
        }
        let only = try await faulty.commit(RecordBatch(deletingAnyVersionOf: [try record("a").id]))
        #expect(only.isEmpty)
        let entries = try await plain.entries(from: 1, limit: 100).entries
        #expect(entries.count == 31)
        let changes = try await #require(plain.feed).changes(since: start, limit: .max)
        #expect(changes.saved.isEmpty && changes.deleted.count == 2)
    }

    @Test func conflictIsReportedThoughAnotherWriterHasTheNumber() async throws {
        let server = StandInServer()
        let (first, second) = (try database(server, options: .withJournal), try database(server, options: .withJournal))
        try await first.commit(RecordBatch(saving: [try record("a")]))
        try await second.commit(RecordBatch(saving: [try record("b")]))
        #expect(
            await databaseErrorCode { try await first.commit(RecordBatch(saving: [try record("b")])) } == .conflict)
        try await first.commit(RecordBatch(saving: [try record("c")]))
        #expect(try await first.entries(from: 0, limit: 10).entries.map(\.position.number) == [1, 2, 3])
    }

    @Test func journalKeepsAsManyCommitsAsItsLength() async throws {
        let server = StandInServer()
        let long = try database(server, options: options(length: 20))
        let beginning = try await #require(long.feed).changeToken()
        for number in 0..<20 { try await long.commit(RecordBatch(saving: [try record("\(number)")])) }
        #expect(try await #require(long.feed).changes(since: beginning, limit: .max).saved.count == 20)
        let token = try await #require(long.feed).changeToken()
        // A shorter one is reached after some commits.
        let short = try database(server, options: options(length: 5))
        for number in 0..<20 { try await short.commit(RecordBatch(saving: [try record("later \(number)")])) }
        let entries = try await short.entries(from: 0, limit: 100).entries
        #expect(entries.map(\.position.number) == Array(35...40))
        let feed = try #require(short.feed)
        #expect(try await expiry { _ = try await feed.changes(since: beginning, limit: 10) } == .purged)
        #expect(try await expiry { _ = try await feed.changes(since: token, limit: 10) } == .purged)
        #expect(try await feed.changes(since: feed.oldestChangeToken(), limit: .max).saved.count == 5)
    }

    @Test func tokenOfAJournalThatWasBegunAgainWentBack() async throws {
        let server = StandInServer()
        let old = try database(server, options: .withJournal)
        for number in 0..<3 { try await old.commit(RecordBatch(saving: [try record("\(number)")])) }
        let token = try await #require(old.feed).changeToken()
        server.removeAll()
        let feed = try #require(try database(server, options: .withJournal).feed)
        #expect(try await expiry { _ = try await feed.changes(since: token, limit: 10) } == .wentBack)
        let new = try database(server, options: .withJournal)
        for number in 0..<3 { try await new.commit(RecordBatch(saving: [try record("\(number)")])) }
        #expect(try await expiry { _ = try await feed.changes(since: token, limit: 10) } == .wentBack)
    }

    @Test func collectionOfTheJournalHasNoRecords() async throws {
        let database = try database(StandInServer(), options: .withJournal)
        try await database.commit(RecordBatch(saving: [try record("a")]))
        var found: [Record.ID] = []
        for try await record in database.records(ofType: nil, including: .system) { found.append(record.id) }
        #expect(found == [try record("a").id])
        let entry = try Record(id: Record.ID(type: "NRJournal", name: "a"), fields: [:])
        await #expect(throws: RecordError.self) { try await database.commit(RecordBatch(saving: [entry])) }
        var options = FirestoreRecordDatabase.Options()
        options.collections = ["School": "NRJournal"]
        #expect(throws: RecordDatabaseError.self) {
            try NestedRecordsFirestoreTests.database(StandInServer(), options: options)
        }
    }

    @Test func writerWithoutTheJournalIsRefused() async throws {
        let server = StandInServer()
        let plain = try database(server)
        try await plain.commit(RecordBatch(saving: [try record("a")]))
        try await database(server, options: .withJournal).commit(RecordBatch(saving: [try record("b")]))
        let other = try database(server)
        let code = await databaseErrorCode { try await other.commit(RecordBatch(saving: [try record("c")])) }
        #expect(code == .invalidOptions)
        #expect(try await other.record(for: record("b").id) != nil)
    }

    /// Loses the answer to a commit, after which others commit until its entry is removed.
    private struct Overtaken: RecordHTTPTransport {
        let base: StandInTransport
        let others: FirestoreRecordDatabase

        func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
            let response = try await base.send(request, deadline: deadline)
            guard request.path.hasSuffix(":commit") else { return response }
            for number in 0..<4 {
                try await others.commit(
                    RecordBatch(saving: [try Record(id: Record.ID(type: "School", name: "other \(number)"))]))
            }
            throw RecordDatabaseError(.connectionLost)
        }
    }

    /// It may have been applied, so it is not sent again.
    @Test func lostCommitWhoseEntryIsRemovedIsUnknownOutcome() async throws {
        let server = StandInServer()
        let transport = Overtaken(
            base: StandInTransport(server), others: try database(server, options: options(length: 2)))
        let database = try FirestoreRecordDatabase(
            project: "test", access: .emulator(host: "127.0.0.1"), transport: transport, options: options(length: 2))
        let batch = RecordBatch(saving: [try record("a")], savePolicy: .overwrite)
        #expect(await databaseErrorCode { try await database.commit(batch) } == .unknownOutcome)
        #expect(transport.base.sent.withLock { $0.count { $0.path.hasSuffix(":commit") } } == 1)
    }

    @Test(arguments: [Int64.max, .min, 0, 1 << 62])
    func entryWithAnyNumberIsAnError(_ number: Int64) async throws {
        let server = StandInServer()
        let fields = #"{"number": {"integerValue": "\#(number)"}, "oldest": {"integerValue": "\#(number)"}, "#
        try server.put("NRJournal/a", fields: fields + #""save": {"stringValue": "a"}}"#)
        let database = try database(server, options: .withJournal)
        await #expect(throws: RecordError.self) { try await database.commit(RecordBatch(saving: [record("a")])) }
        let feed = try #require(database.feed)
        await #expect(throws: RecordError.self) { try await feed.changeToken() }
        let token = try ChangeToken(store: database.names.root, payload: Array("\(Int64.max) a".utf8))
        #expect(try await expiry { _ = try await feed.changes(since: token, limit: 1) } == .otherStore)
    }

    @Test func synchronizationThatOnlyPullsNeedsNoJournal() async throws {
        let (server, replica) = (StandInServer(), InMemoryRecordDatabase())
        try server.put("School/a", fields: #"{"number": {"integerValue": "1"}}"#)
        try server.put("School/b", fields: #"{"number": {"integerValue": "2"}}"#)
        var options = SyncOptions()
        options.direction = .pull
        let sync = try RecordSync(replica, with: database(server), named: "school", options: options)
        _ = try await sync.synchronize()
        try server.set("School/a", "number", #"{"integerValue": "7"}"#)
        _ = try await sync.synchronize()
        #expect(try await replica.record(for: record("a").id)?["number"] == .int(7))
        #expect(try await replica.record(for: record("b").id)?["number"] == .int(2))
    }

    @Test func eachCallTakesAsManyRequestsAsTheArticleSays() async throws {
        let server = StandInServer()
        let database = try database(server, options: .withJournal)
        let feed = try #require(database.feed)
        func requests(_ body: () async throws -> Void) async throws -> Int {
            let before = server.count
            try await body()
            return server.count - before
        }
        let start = try await feed.changeToken()
        // The first commit of a process reads the newest entry.
        #expect(try await requests { try await database.commit(RecordBatch(saving: [try record("a")])) } == 2)
        #expect(try await requests { try await database.commit(RecordBatch(saving: [try record("b")])) } == 1)
        #expect(try await requests { _ = try await feed.changes(since: start, limit: 100) } == 2)
        let token = try await feed.changeToken()
        #expect(try await requests { _ = try await feed.changes(since: token, limit: 100) } == 1)
    }

    /// An app with Google's SDK does not write the journal, so its changes arrive with a comparison of all records.
    @Test func synchronizationGoesThroughFirestoreAndTakesAnAppsChangesWithReconcile() async throws {
        let server = StandInServer()
        let replicas = (0..<2).map { _ in InMemoryRecordDatabase() }
        var faults = StandInTransport.Faults()
        (faults.lostAnswers, faults.lostReads, faults.refusals) = (0.02, 0.02, 0.02)
        let remote = try database(server, faults: faults, options: .withJournal)
        let syncs = try replicas.map { try RecordSync($0, with: remote, named: "school") }
        func synchronize(
            _ call: (RecordSync) async throws -> Void = { _ = try await $0.synchronize() }
        ) async throws {
            for sync in syncs + syncs {
                while true {
                    do {
                        try await call(sync)
                        break
                    } catch let error as RecordDatabaseError where error.isTransient || error.code == .unknownOutcome {}
                }
            }
        }
        for number in 0..<20 {
            for (replica, database) in replicas.enumerated() {
                let record = try record("\(replica) \(number)", Int64(number))
                try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            }
            if number.isMultiple(of: 5) { try await synchronize() }
        }
        try await replicas[0].commit(RecordBatch(deletingAnyVersionOf: [try record("1 0").id]))
        try await synchronize()
        try server.set("School/0 3", "number", #"{"integerValue": "77"}"#)
        try await synchronize()
        #expect(try await replicas[1].record(for: record("0 3").id)?["number"] == .int(3))
        try await synchronize { _ = try await $0.reconcile() }
        for replica in replicas {
            #expect(try await replica.count(RecordQuery("School")) == 39)
            #expect(try await replica.record(for: record("0 3").id)?["number"] == .int(77))
        }
        let plain = try database(server)
        #expect(try await plain.count(RecordQuery("School")) == 39)
    }
}
