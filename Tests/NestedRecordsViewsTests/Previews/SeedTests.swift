import Foundation
@_spi(Engines) import NestedRecords
import NestedRecordsViews
import TestSupport
import Testing

/// Databases that begin with values.
@Suite struct SeedTests {
    private struct Member: RecordCodable, Identifiable {
        var id: String
        var address: String
        static let recordType = "SeedMember"
        static let schema = RecordSchema(unique: ["address"])
    }

    private struct Photo: RecordCodable, Identifiable {
        var id: String
        var picture: RecordAsset
        static let recordType = "SeedPhoto"
    }

    private let box = Box(id: "a", label: "A", cards: [Card(id: "1", front: "sea", back: "mer")])

    @Test func valuesAreStoredWithWhatTheyContain() async throws {
        let store = RecordStore(try InMemoryRecordDatabase(from: [box]))
        #expect(try await store.fetch(Card.self, named: "1").front == "sea")
        var stored = try await store.fetch(Box.self, named: "a")
        stored.label = "B"
        try await store.save(&stored)
        #expect(try await InMemoryRecordDatabase(from: [Box]()).texts.isEmpty)
    }

    @Test func graphIsStored() async throws {
        let database = try InMemoryRecordDatabase(from: try RecordEncoder().encode(box))
        #expect(try await database.texts == ["ViewBox/a", "ViewCard/1"])
    }

    @Test func linesOfTypedJSONAreStored() async throws {
        let lines = """
            {"id": "ViewCard/1", "fields": {"id": "1", "front": "sea", "back": "mer", "successes": 2, "failures": 0}}

            {"id": "ViewCard/2", "fields": {"id": "2", "front": "sun", "back": "soleil", "successes": 0, "failures": 0}}
            """
        let store = RecordStore(try InMemoryRecordDatabase(from: lines))
        #expect(try await store.query(Card.self).all().map(\.successes) == [2, 0])
        #expect(throws: RecordFormatError.self) { try InMemoryRecordDatabase(from: lines + "\n{") }
        let error = #expect(throws: RecordDatabaseError.self) { try InMemoryRecordDatabase(from: lines + "\n" + lines) }
        #expect(error?.code == .duplicateID)
    }

    @Test func allLinesOfADatabaseMakeAnotherWithItsClaims() async throws {
        let old = InMemoryRecordDatabase()
        try await RecordStore(old).insert([Member(id: "a", address: "x"), Member(id: "b", address: "y")])
        var lines: [String] = []
        for try await record in old.records(ofType: nil, including: .system) {
            lines.append(String(decoding: try JSONEncoder().encode(record), as: UTF8.self))
        }
        let database = try InMemoryRecordDatabase(from: lines.joined(separator: "\r\n"))
        #expect(try await database.texts == old.texts && lines.count == 4)
        let store = RecordStore(database)
        await #expect(throws: RecordDatabaseError.self) { try await store.insert(Member(id: "c", address: "y")) }
        try await store.delete(Member.self, named: "b")
        try await store.insert(Member(id: "c", address: "y"))
    }

    @Test func storedKeysFollowTheCoding() async throws {
        var coding = RecordCoding()
        coding.keyStrategy = .snakeCase
        let store = RecordStore(try InMemoryRecordDatabase(from: [box], coding: coding), coding: coding)
        #expect(try await store.fetch(Box.self, named: "a").label == "A")
    }

    @Test func uniqueValuesAreClaimed() async throws {
        let store = RecordStore(try InMemoryRecordDatabase(from: [Member(id: "a", address: "x")]))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.insert(Member(id: "b", address: "x"))
        }
        #expect(error?.code == .valueTaken)
        let repeated = #expect(throws: RecordDatabaseError.self) {
            try InMemoryRecordDatabase(from: [Member(id: "a", address: "x"), Member(id: "b", address: "x")])
        }
        #expect(repeated?.code == .valueTaken)
    }

    @Test func valueWithAnAssetIsRefused() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        let picture = try await store.assets.add(Data([1, 2, 3]), contentType: "image/png")
        let error = #expect(throws: RecordDatabaseError.self) {
            try InMemoryRecordDatabase(from: [Photo(id: "p", picture: picture)])
        }
        #expect(error?.code == .missingAsset)
    }
}
