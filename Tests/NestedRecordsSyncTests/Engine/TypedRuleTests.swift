import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSync

private struct Card: RecordCodable, Identifiable {
    @RecordName var id: String
    var text = ""
    var reviews = 0
    var amount = 0
    var currency = ""
    @ServerTimestamp var changed: Date?

    static let schema = RecordSchema(
        defaults: ["reviews": 0, "amount": 0, "currency": ""], formerNames: ["text": ["title"]], version: 2)
}

@Suite struct TypedRuleTests {
    let local = InMemoryRecordDatabase()
    let remote = HookedDatabase(InMemoryRecordDatabase())

    private func sync(_ change: (inout SyncOptions) throws -> Void) throws -> RecordSync {
        var options = SyncOptions()
        try change(&options)
        return try RecordSync(local, with: remote, named: "cloud", options: options)
    }

    @Test func rulesOfPropertiesAreThoseOfTheirFields() async throws {
        let sync = try sync { options in
            try options.rules.set(.counter, for: \Card.reviews)
            try options.rules.keepTogether(\Card.amount, \Card.currency)
        }
        try await local.put("a", ["reviews": 1, "amount": 1, "currency": "EUR"])
        try await sync.synchronize()
        try await local.put("a", ["reviews": 2, "amount": 5, "currency": "EUR"])
        try await remote.put("a", ["reviews": 2, "amount": 1, "currency": "CHF"])
        try await sync.synchronize()
        for database in [local, remote] as [any RecordDatabase] {
            #expect(try await database.fields("a") == ["reviews": 3, "amount": 1, "currency": "CHF"])
        }
        var options = SyncOptions()
        #expect(throws: RecordError.self) { try options.rules.set(.counter, for: \Card.text.count) }
        let error = #expect(throws: RecordDatabaseError.self) { try options.rules.set(.counter, for: \Card.text) }
        #expect(error?.reason == "a counter is a number, and 'text' of Card is of the type String")
    }

    // MARK: Versions

    private func makeVersions(_ migrates: Bool) async throws -> RecordSync {
        let sync = try sync { if migrates { try $0.rules.addMigrations(of: Card.self) } }
        try await local.put("a", ["$version": 1, "title": "old", "note": "x"])
        try await sync.synchronize()
        // A later program on this side, an earlier one on the other.
        try await local.put(
            "a", ["$version": 2, "text": "old", "note": "x", "reviews": 7, "amount": 0, "currency": ""])
        try await remote.put("a", ["$version": 1, "title": "new", "note": "x"])
        return sync
    }

    @Test func recordOfALowerVersionIsMigratedBeforeTheMerge() async throws {
        let sync = try await makeVersions(true)
        try await sync.synchronize()
        for database in [local, remote] as [any RecordDatabase] {
            let fields = try #require(try await database.fields("a"))
            #expect((fields["$version"], fields["text"], fields["reviews"]) == (2, "new", 7))
            #expect(fields["title"] == nil)
        }
        #expect(try await sync.conflicts().isEmpty)
    }

    @Test func recordsOfTwoVersionsWithoutAMigrationAreContestedAsAWhole() async throws {
        let sync = try await makeVersions(false)
        try await sync.synchronize()
        #expect(try await sync.conflicts().map(\.kind) == [.record])
        #expect(try await local.fields("a") == ["$version": 1, "title": "new", "note": "x"])
    }

    // MARK: Times of the server

    private func timeSync() throws -> RecordSync { try sync { try $0.rules.set(.serverTime, for: \Card.changed) } }

    private func changed(_ database: any RecordDatabase) async throws -> Record.Value? {
        try await database.fields("a")?["changed"]
    }

    @Test func timeIsThatOfTheRemoteDatabase() async throws {
        let sync = try timeSync()
        let guess = Record.Value.date(Date(timeIntervalSinceReferenceDate: 0))
        try await local.put("a", ["text": "1", "changed": guess])
        try await sync.synchronize()
        let record = try #require(try await remote.record(for: Record.ID(type: "Card", name: "a")))
        let stamp = Record.Value.date(try #require(record.metadata).modificationDate)
        #expect(record["changed"] == stamp)
        #expect(try await changed(local) == stamp)
        #expect(try await sync.synchronize().hasWritten == false)
        // An edit of another field keeps the time.
        try await local.put("a", ["text": "2", "changed": stamp])
        try await sync.synchronize()
        #expect(try await changed(remote) == stamp)
        #expect(try await remote.fields("a")?["text"] == "2")
    }

    @Test func timesOfBothSidesDoNotConflict() async throws {
        let sync = try timeSync()
        try await local.put("a", ["text": "1", "changed": .date(Date(timeIntervalSinceReferenceDate: 0))])
        try await sync.synchronize()
        try await local.put("a", ["text": "2", "changed": .date(Date(timeIntervalSinceReferenceDate: 5))])
        try await remote.put("a", ["text": "1", "changed": .date(Date(timeIntervalSinceReferenceDate: 9))])
        try await sync.synchronize()
        #expect(try await sync.conflicts().isEmpty)
        let record = try #require(try await remote.record(for: Record.ID(type: "Card", name: "a")))
        #expect(record["changed"] == record.metadata.map { .date($0.modificationDate) })
        #expect(try await local.fields("a") == record.fields)
    }

    @Test(arguments: [true, false])
    func timeArrivesAfterALostAnswer(_ isApplied: Bool) async throws {
        let sync = try timeSync()
        try await sync.synchronize()
        try await local.put("a", ["text": "1", "changed": .date(Date(timeIntervalSinceReferenceDate: 0))])
        let fail: @Sendable (RecordBatch) async throws -> Void = { batch in
            if batch.changesRecordsOfCallers { throw RecordDatabaseError(.unknownOutcome) }
        }
        if isApplied { remote.after(fail) } else { remote.before(fail) }
        await #expect(throws: RecordDatabaseError.self) { try await sync.synchronize() }
        remote.after { _ in }
        remote.before { _ in }
        for _ in 0..<2 { try await sync.synchronize() }
        let record = try #require(try await remote.record(for: Record.ID(type: "Card", name: "a")))
        #expect(record["changed"] == record.metadata.map { .date($0.modificationDate) })
        #expect(try await local.fields("a") == record.fields)
        #expect(try await sync.conflicts().isEmpty)
    }
}
