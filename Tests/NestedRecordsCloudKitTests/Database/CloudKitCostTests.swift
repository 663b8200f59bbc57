#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
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

    /// The requests for files, which are not calls of CloudKit.
    private let fileRequests = Lock(0)

    /// Calls a closure, expects it to take some requests, and the article to say so.
    private func expect(
        _ call: String, _ cost: Cost, _ body: () async throws -> Void, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let article = try Article("NestedRecordsCloudKit/NestedRecordsCloudKit.docc/RecordsInCloudKit.md")
        #expect(article.text.contains("\n| \(call) | "), sourceLocation: location)
        let row = article.text.components(separatedBy: "\n").first { $0.hasPrefix("| \(call) | ") } ?? ""
        let columns = row.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(columns.dropFirst(2).contains(cost.words), sourceLocation: location)
        cloud.resetCounts()
        fileRequests.withLock { $0 = 0 }
        try await body()
        let counts = cloud.counts.filter { $0.key != .userRecordID && $0.key != .webCaller }
        let files = fileRequests.withLock { $0 }
        let sum = counts.values.reduce(files, +)
        let names = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) `\($0.key.rawValue)`" }
        let texts = ["\(sum)", (names + (files == 0 ? [] : ["\(files) file"])).joined(separator: ", ")]
        #expect(texts.contains(cost.requests), "\(texts)", sourceLocation: location)
    }

    /// What the article says of a call, and the requests that a test counts: their number, or their names too.
    private struct Cost {
        let words: String
        let requests: String

        init(_ words: String, _ requests: String? = nil) { (self.words, self.requests) = (words, requests ?? words) }
    }

    @Test func callsTakeAsManyRequestsAsTheArticleSays() async throws {
        try await expectCosts(
            of: database(cloud),
            [
                Cost("1"), Cost("1 for each level of nesting and 399 records", "3"), Cost("2"), Cost("3"),
                Cost("3 after reading the plan", "4"), Cost("1 for 200 records of the zone", "1"), Cost("1"),
                Cost("20"),
                Cost("1"), Cost("1, and the first time 1 for 200 records of the zone", "1"),
            ])
    }

    @Test func webServicesTakeAsManyRequestsAsTheArticleSays() async throws {
        let database = try webDatabase()
        try await database.prepare()
        let changes = "1 `changes/zone`"
        try await expectCosts(
            of: database,
            [
                Cost("1 `records/modify`"),
                Cost("1 `records/lookup` for each level and 199 records", "3 `records/lookup`"),
                Cost("1 `records/lookup`, 1 `records/modify`"), Cost("2 `records/lookup`, 1 `records/modify`"),
                Cost("2 `records/lookup`, 1 `records/modify`"), Cost("1 `changes/zone` for 200 records", changes),
                Cost(changes), Cost("1 `assets/upload`, 19 `records/lookup`, 1 `records/modify`, 1 file"),
                Cost("1 `records/lookup`, 1 file"), Cost("the same `changes/zone`", changes),
            ])
    }

    private func webDatabase() throws -> CloudKitRecordDatabase {
        try cloud.webDatabase { [fileRequests] answer, path in
            if !path.hasPrefix("/database") { fileRequests.withLock { $0 += 1 } }
            return answer
        }
    }

    private func expectCosts(of database: CloudKitRecordDatabase, _ costs: [Cost]) async throws {
        let store = RecordStore(database)
        let pupils = (0..<190).map { Pupil(id: "\($0)", name: "\($0 % 7)") }
        let rooms = [Room(id: "a", pupils: Array(pupils[..<100])), Room(id: "b", pupils: Array(pupils[100...]))]
        let school = School(id: "hill", rooms: rooms)
        try await expect("insert of up to 399 records", costs[0]) { try await store.insert(school) }
        try await expect("fetch", costs[1]) {
            let found = try await store.fetch(School.self, named: "hill").value.rooms[1].pupils.count
            #expect(found == 90)
        }
        var pupil = try await store.fetch(Pupil.self, named: "1")
        pupil.name = "new"
        let changed = pupil
        try await expect("save of changes", costs[2]) { _ = try await store.save(changed) }
        try await expect("update", costs[3]) {
            _ = try await store.update(Pupil.self, named: "2") { $0.name = "new" }
        }
        try await expect("deletion with the option `dangling`", costs[4]) {
            try await store.delete(Pupil.self, named: "189", [.dangling])
        }
        try await expect("query, count, list of a type", costs[5]) {
            let found = try await database.count(RecordQuery("Pupil"))
            #expect(found == 189)
        }
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        for looks in [true, false] {
            try await expect("page of changes, look for changes", costs[6]) {
                if looks {
                    _ = try await feed.changeToken()
                } else {
                    _ = try await feed.changes(since: token, limit: 9)
                }
            }
        }
        let storage = try #require(database.assets)
        let upload = try await storage.beginUpload()
        let chunk = Data(repeating: 1, count: AssetContent.chunkSize)
        var hasher = AssetHasher()
        try await expect("16 chunks of an asset, of 256 KiB, to write", costs[7]) {
            for number in 0..<16 {
                hasher.add(chunk)
                try await storage.append(chunk, toUpload: upload, at: Int64(number * chunk.count))
            }
        }
        try await storage.finishUpload(upload, as: hasher.digest)
        let reader = try #require(try await reopened(database).assets)
        let content = try #require(try await reader.content(hasher.digest.hash))
        try await expect("16 chunks of an asset to read", costs[8]) {
            for offset in content.offsets { _ = try await reader.chunk(of: content, at: offset) }
        }
        let other = try await reopened(database)
        try await expect("versions of a type, for a synchronization", costs[9]) {
            _ = try await other.versions(ofType: "Pupil", after: nil, limit: 9)
        }
    }

    /// Another process with the same zone.
    private func reopened(_ database: CloudKitRecordDatabase) async throws -> CloudKitRecordDatabase {
        try await database.port.deletesVersions ? webDatabase() : NestedRecordsCloudKitTests.database(cloud)
    }
}
#endif
