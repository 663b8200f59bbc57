#if canImport(CloudKit) && os(Linux)
import CloudKit
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The table of the article about what each call costs.
struct CloudKitCostTests {
    private struct Pupil: RecordCodable, Identifiable {
        @RecordName var id: String
        var name: String
    }

    private struct Room: RecordCodable, Identifiable {
        @RecordName var id: String
        var pupils: [Pupil]
    }

    private struct School: RecordCodable, Identifiable {
        @RecordName var id: String
        var rooms: [Room]
    }

    private let cloud = StandInCloud()

    /// Calls a closure, expects it to take some requests, and the article to say so.
    private func expect(
        _ call: String, _ words: String, _ expected: Int, _ body: () async throws -> Void,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let article = try Article("NestedRecordsCloudKit/NestedRecordsCloudKit.docc/RecordsInCloudKit.md")
        #expect(article.text.contains("\n| \(call) | \(words) |"), sourceLocation: location)
        cloud.resetCounts()
        try await body()
        let counts = cloud.counts.filter { $0.key != .userRecordID }
        #expect(counts.values.reduce(0, +) == expected, "\(counts)", sourceLocation: location)
    }

    @Test func callsTakeAsManyRequestsAsTheArticleSays() async throws {
        let database = try await database(cloud)
        let store = RecordStore(database)
        let pupils = (0..<300).map { Pupil(id: "\($0)", name: "\($0 % 7)") }
        let rooms = [Room(id: "a", pupils: Array(pupils[..<200])), Room(id: "b", pupils: Array(pupils[200...]))]
        let school = School(id: "hill", rooms: rooms)
        try await expect("insert of up to 399 records", "1", 1) { try await store.insert(school) }
        try await expect("fetch", "1 for each level of nesting and 399 records", 3) {
            let found = try await store.fetch(School.self, named: "hill").value.rooms[1].pupils.count
            #expect(found == 100)
        }
        var pupil = try await store.fetch(Pupil.self, named: "1")
        pupil.name = "new"
        let changed = pupil
        try await expect("save of changes", "2", 2) { _ = try await store.save(changed) }
        try await expect("update", "3", 3) {
            _ = try await store.update(Pupil.self, named: "2") { $0.name = "new" }
        }
        try await expect("deletion with the option `dangling`", "3 after reading the plan", 4) {
            try await store.delete(Pupil.self, named: "299", [.dangling])
        }
        try await expect("query, count, list of a type", "1 for 200 records of the zone", 2) {
            let found = try await database.count(RecordQuery("Pupil"))
            #expect(found == 299)
        }
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        try await expect("page of changes, look for changes", "1", 1) {
            _ = try await feed.changes(since: token, limit: 9)
        }
        try await expect("page of changes, look for changes", "1", 1) { _ = try await feed.changeToken() }
    }
}
#endif
