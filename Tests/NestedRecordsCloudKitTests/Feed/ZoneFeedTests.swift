#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import NestedRecordsFile
import NestedRecordsSync
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

struct ZoneFeedTests {
    private let cloud = StandInCloud()

    private func school(_ name: String) throws -> Record {
        try Record(id: Record.ID(type: "School", name: name), fields: ["name": .string(name)])
    }

    private func expiry(_ body: () async throws -> Void) async -> ChangeToken.Expiry? {
        do {
            try await body()
        } catch let error as RecordDatabaseError {
            return error.expiry
        } catch {}
        return nil
    }

    @Test func theBeginningListsWhatExists() async throws {
        let database = try await database(cloud)
        let feed = try #require(database.feed)
        for name in ["1", "2", "3"] { try await database.commit(RecordBatch(saving: [try school(name)])) }
        var (token, found, isComplete) = (try await feed.oldestChangeToken(), [String](), false)
        while !isComplete {
            let changes = try await feed.changes(since: token, limit: 2)
            (token, isComplete) = (changes.token, changes.isComplete)
            found += changes.saved.map(\.id.name)
        }
        #expect(found.sorted() == ["1", "2", "3"])
    }

    @Test func expiredTokensArePurged() async throws {
        let database = try await database(cloud)
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        _ = try await database.versions(ofType: "School", after: nil, limit: 1)
        try await database.commit(RecordBatch(saving: [try school("1")]))
        cloud.expireTokens()
        #expect(await expiry { _ = try await feed.changes(since: token, limit: 1) } == .purged)
        // The database's own positions have expired too, and it begins again.
        _ = try await feed.changeToken()
        #expect(try await database.versions(ofType: "School", after: nil, limit: 9).map(\.id.name) == ["1"])
    }

    @Test func tokensOfAnotherUserAreRefused() async throws {
        let container = cloud.container(user: "ann")
        let database = try CloudKitRecordDatabase(container, options: .quick)
        try await database.prepare()
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        cloud.signIn("bo", on: container)
        try await database.prepare()
        #expect(await expiry { _ = try await feed.changes(since: token, limit: 1) } == .otherReader)
    }

    @Test func versionsTellSpellingsApart() async throws {
        let database = try await database(cloud)
        let names = ["\u{E9}", "e\u{301}"]
        try await database.commit(RecordBatch(saving: try names.map { try school($0) }))
        func found() async throws -> [[UInt8]] {
            try await database.versions(ofType: "School", after: nil, limit: 9).map { Array($0.id.name.utf8) }
        }
        #expect(try await Set(found()) == Set(names.map { Array($0.utf8) }))
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try school(names[0]).id]))
        #expect(try await found() == [Array(names[1].utf8)])
    }

    @Test func tokensStayWhileNothingChanges() async throws {
        let database = try await database(cloud)
        let feed = try #require(database.feed)
        try await database.commit(RecordBatch(saving: [try school("1")]))
        let token = try await feed.changeToken()
        #expect(try await feed.changes(since: token, limit: 9).token == token)
        #expect(try await feed.changeToken() == token)
    }

    @Test func versionsAreThoseOfTheUser() async throws {
        let container = cloud.container(user: "ann")
        let database = try CloudKitRecordDatabase(container, options: .quick)
        for (user, name) in [("ann", "1"), ("bo", "2"), ("ann", "1")] {
            cloud.signIn(user, on: container)
            try await database.prepare()
            try await database.commit(RecordBatch(saving: [try school(name)], savePolicy: .overwrite))
            #expect(try await database.versions(ofType: "School", after: nil, limit: 9).map(\.id.name) == [name])
        }
    }

    @Test func tokensOfDeletedZonesAreOfAnotherStore() async throws {
        let database = try await database(cloud)
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        let zone = CKRecordZone.ID(zoneName: "NestedRecords", ownerName: CKCurrentUserDefaultName)
        _ = try await cloud.container(user: "ann").privateCloudDatabase.modifyRecordZones(saving: [], deleting: [zone])
        #expect(await expiry { _ = try await feed.changes(since: token, limit: 1) } == .otherStore)
    }

    @Test func messagesEndPauses() async throws {
        var options = CloudKitRecordDatabase.Options()
        options.pauses = .seconds(600) ... .seconds(600)
        let database = try await database(cloud, options: options)
        let feed = try #require(database.feed)
        try await database.subscribe()
        cloud.push = { _, message in
            guard CKNotification(fromRemoteNotificationDictionary: ["ck": message]) != nil else { return }
            database.checkForChanges()
        }
        let token = try await feed.changeToken()
        let wait = Task { try await feed.waitForChanges(after: token) }
        // Another device, which gets no message of its own change.
        let other = try await NestedRecordsCloudKitTests.database(cloud)
        try await other.commit(RecordBatch(saving: [try school("1")]))
        let start = ContinuousClock.now
        // The pause takes 600 seconds without a message.
        while ContinuousClock.now - start < .seconds(300) {
            if await isDone(wait) { return }
        }
        wait.cancel()
        Issue.record("the wait did not end after the message")
    }

    /// The sentence of the article about the calls that the feed does not need.
    @Test func oneSubscriptionAndTheChangesOfOneZoneAreEnough() async throws {
        let article = try Article("NestedRecordsCloudKit/NestedRecordsCloudKit.docc/RecordsInCloudKit.md")
        #expect(article.text.contains("`databaseChanges` is never called: a database is one zone"))
        let database = try await database(cloud)
        for _ in 0..<3 { try await database.subscribe() }
        let messages = Lock(0)
        cloud.push = { _, _ in messages.withLock { $0 += 1 } }
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        // The device of the other writer, which gets no message of its own change.
        let other = try await NestedRecordsCloudKitTests.database(cloud)
        let before = messages.withLock { $0 }
        try await other.commit(RecordBatch(saving: [try school("1")]))
        #expect(messages.withLock { $0 } - before == 1)
        #expect(try await feed.changes(since: token, limit: 9).saved.map(\.id.name) == ["1"])
        #expect(cloud.counts[.databaseChanges] == nil && cloud.counts[.webDatabaseChanges] == nil)
    }

    @Test func preparingNeedsAnAccount() async throws {
        let container = cloud.container(user: nil)
        let database = try CloudKitRecordDatabase(container)
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.prepare() }
        #expect(error?.code == .notSignedIn && error?.reason == "the device has no iCloud account")
        cloud.signIn("ann", on: container)
        try await database.prepare()
    }

    private func isDone(_ task: Task<Void, any Error>) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await withTaskCancellationHandler {
                        try await task.value
                    } onCancel: {
                    }
                    return true
                } catch { return false }
            }
            group.addTask {
                try? await Task.sleep(for: .milliseconds(100))
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }

    /// Two devices, each with a record file, and a zone between them that loses requests and answers.
    @Test func recordFilesSynchronizeThroughCloudKit() async throws {
        let faults = RandomFaults(seed: Sweep.seed &+ 7)
        let folder = try TemporaryFolder()
        var links: [(local: FileRecordDatabase, sync: RecordSync)] = []
        for name in ["phone", "pad"] {
            let local = try FileRecordDatabase(path: folder.path(name))
            let remote = RetriedRecordDatabase(
                try await database(cloud), RetryPolicy(attempts: 100, repeatsTransientErrors: true))
            links.append((local, try RecordSync(local, with: remote, named: "cloud")))
        }
        cloud.fault = { faults.fault(of: $0) }
        var random = SplitMix64(seed: Sweep.seed)
        for round in 0..<30 {
            for (number, link) in links.enumerated() {
                let name = "\(Int.random(in: 0..<10, using: &random))"
                let id = try Record.ID(type: "School", name: name)
                if var record = try await link.local.record(for: id) {
                    if random.chance(oneIn: 4) {
                        try await link.local.commit(RecordBatch(deletingAnyVersionOf: [id]))
                        continue
                    }
                    record["field\(number)"] = .int(Int64(round))
                    try await link.local.commit(RecordBatch(saving: [record]))
                } else {
                    let new = try Record(id: id, fields: ["name": .string(name), "field\(number)": .int(Int64(round))])
                    try await link.local.commit(RecordBatch(saving: [new]))
                }
                try await link.sync.synchronizeInSpiteOfFaults()
            }
        }
        for _ in 0..<3 { for link in links { try await link.sync.synchronizeInSpiteOfFaults() } }
        var contents: [[Record.ID: Record.Fields]] = []
        for link in links {
            var found: [Record.ID: Record.Fields] = [:]
            for try await record in link.local.records(ofType: "School") { found[record.id] = record.fields }
            contents.append(found)
        }
        #expect(contents[0] == contents[1] && !contents[0].isEmpty)
        cloud.fault = nil
        cloud.resetCounts()
        for link in links { try await link.sync.synchronize() }
        #expect(cloud.counts[.modifyRecords] == nil, "a round without changes writes nothing")
    }
}

extension RecordSync {
    /// Runs rounds until one ends.
    func synchronizeInSpiteOfFaults() async throws {
        for _ in 0..<100 {
            do {
                _ = try await synchronize()
                return
            } catch let error as RecordDatabaseError where error.isTransient || error.code == .unknownOutcome {
                continue
            }
        }
        Issue.record("no round ended")
    }
}
#endif
