import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct PartialQueryTests {
    private struct Camera: RecordCodable, Identifiable {
        @RecordName var id: String
        var brand: String
        static let recordType = "PartialCamera"
    }

    private struct Photo: RecordCodable, Identifiable {
        struct Frame: Codable { var width: Int }

        @RecordName var id: Int
        var name: String
        var date: Date
        var note: String?
        var frame: Frame
        var stars: Int
        var camera: Camera
        var place: Location?
        var bytes: Data

        static let recordType = "PartialPhoto"
        static let schema = RecordSchema(defaults: ["stars": 3], formerNames: ["name": ["title"]])
    }

    private let database = InMemoryRecordDatabase()
    private var store: RecordStore { RecordStore(database) }

    private func insert(_ count: Int = 3) async throws {
        let camera = Camera(id: "c", brand: "Kodak")
        let place = try Location(latitude: 1, longitude: 2)
        try await store.insert(
            (1...count).map { number in
                Photo(
                    id: number, name: "p\(number)", date: Date(timeIntervalSinceReferenceDate: Double(number)),
                    note: number == 2 ? "dark" : nil, frame: Photo.Frame(width: 10 * number), stars: number,
                    camera: camera, place: place, bytes: Data(repeating: 7, count: 1_000))
            })
    }

    @Test func readsTheNamedPropertiesAlone() async throws {
        try await insert()
        let query = store.query(Photo.self).filter { $0.stars < 3 }.sorted(descending: true) { $0.date }.fields {
            $0.name
            $0.note
            $0.frame.width
            $0.place.latitude
            $0.field("camera", as: RecordLink<Camera>.self)
        }
        let photos = try await query.all()
        #expect(try photos.map { try $0.name } == ["p2", "p1"])
        #expect(try photos.map { try $0.note } == ["dark", nil])
        #expect(try photos.map { try $0.value { $0.frame.width } } == [20, 10])
        #expect(try photos[0].value { $0.place.latitude } == 1)
        #expect(try photos[0].value { $0.field("camera", as: RecordLink<Camera>.self) }.id.name == "c")
        #expect(try photos[0].value { $0.id } == 2 && photos[0].recordID.name == "2" && photos[0].metadata != nil)
        #expect(!photos[0].description.contains("bytes"))
        #expect(try query.recordQuery().fields == ["name", "title", "note", "frame", "place", "camera"])
    }

    @Test func propertyThatWasNotReadIsAnError() async throws {
        try await insert()
        let photo = try #require(try await store.query(Photo.self).fields { $0.note }.all().first)
        let unread = #expect(throws: RecordError.self) { try photo.name }
        #expect(unread?.code == .unknownField && "\(unread as Any)".contains("'name'"))
        // Its field is missing, and not nil.
        #expect(throws: RecordError.self) { try photo.place }
        let foreign = store.query(Photo.self).fields { $0.camera.brand }
        await #expect(throws: RecordError.self) { try await foreign.all() }
    }

    @Test func readsFormerNamesAndDefaultValues() async throws {
        try await insert(1)
        var record = try #require(try await database.record(for: Record.ID("PartialPhoto/1")))
        (record["title"], record["name"], record["stars"]) = ("old", nil, nil)
        try await database.commit(RecordBatch(saving: [record]))
        let photo = try #require(
            try await store.query(Photo.self).fields {
                $0.name; $0.stars
            }.all().first)
        #expect(try photo.name == "old" && photo.stars == 3)
    }

    @Test func valueThatCannotBeDecodedNamesItsRecord() async throws {
        try await insert(1)
        var record = try #require(try await database.record(for: Record.ID("PartialPhoto/1")))
        record["stars"] = "many"
        try await database.commit(RecordBatch(saving: [record]))
        let photo = try #require(try await store.query(Photo.self).fields { $0.stars }.all().first)
        let error = #expect(throws: RecordError.self) { try photo.stars }
        #expect(error?.code == .unreadableRecord && error?.context.field == "stars")
        #expect(error?.recordID == record.id)
    }

    @Test func recordWithSomeFieldsIsNeitherSavedNorDecoded() async throws {
        try await insert(1)
        var query = RecordQuery("PartialPhoto")
        query.fields = ["name"]
        var part = try #require(try await database.page(query).records.first)
        (part["name"], part.metadata) = ("other", nil)
        #expect(part.isPartial)
        for policy in SavePolicy.allCases {
            let error = await #expect(throws: RecordError.self) {
                try await database.commit(RecordBatch(saving: [part], savePolicy: policy))
            }
            #expect(error?.code == .partialRecord && error?.recordID == part.id)
        }
        await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Photo.self, from: part, in: database)
        }
        #expect(throws: RecordError.self) { try RecordGraph([part]) }
        let whole = try Record(id: part.id, fields: part.fields)
        #expect(part != whole && !whole.isPartial)
    }

    @Test func cursorIsAlsoThatOfOtherFields() async throws {
        try await insert(4)
        let query = store.query(Photo.self).sorted { $0.stars }
        let page = try await query.limit(3).fields { $0.name }.page()
        #expect(try page.records.map { try $0.name } == ["p1", "p2", "p3"])
        #expect(try await query.after(page.next).all().map(\.id) == [4])
    }

    @Test func pagesAreLimitedInBytes() async throws {
        try await insert(5)
        let query = store.query(Photo.self).sorted(descending: true) { $0.date }.limit(bytes: 2_500)
        let page = try await query.page()
        #expect(page.map(\.id) == [5, 4])
        #expect(try await query.after(page.next).page().map(\.id) == [3, 2])
        #expect(try await query.limit(bytes: 0).page().map(\.id) == [5])
        #expect(try await query.count() == 5)
        var found: [Int] = []
        for try await photo in query.values() { found.append(photo.id) }
        #expect(found == [5, 4, 3, 2, 1])
        // Small fields leave room for more records.
        #expect(try await query.fields { $0.name }.all().count == 5)
        let error = await #expect(throws: RecordError.self) { try await query.limit(bytes: -1).page() }
        #expect(error?.code == .invalidLimit)
    }

    @Test func transactionKeepsWholeRecords() async throws {
        try await insert(2)
        try await store.transaction { store in
            let names = try await store.query(Photo.self).fields { $0.name }.all()
            #expect(try names.map { try $0.name } == ["p1", "p2"])
            try await store.update(Photo.self, named: 1) { $0.name = "new" }
            let page = try await store.query(Photo.self).sorted { $0.name }.limit(bytes: 1_500).fields {
                $0.name
                $0.bytes
            }.page()
            #expect(try page.records.map { try $0.name } == ["new"] && page.next != nil)
        }
        #expect(try await store.fetch(Photo.self, named: 1).bytes.count == 1_000)
    }

    @Test func cacheKeepsNoPartOfARecord() async throws {
        try await insert(2)
        let cache = try CachedRecordDatabase(database, maximumCount: 100)
        try await waitUntil { cache.isFollowing }
        let cached = RecordStore(cache)
        #expect(try await cached.query(Photo.self).fields { $0.name }.all().count == 2)
        #expect(cache.cachedCount == 0)
        for _ in 1...2 { #expect(try await cached.fetch(Photo.self, named: 1).bytes.count == 1_000) }
        #expect(cache.hitCount > 0)
    }

    @Test func ruleIsTestedOnTheWholeRecord() async throws {
        try await insert(3)
        let scoped = try store.scoped {
            $0.rule(Photo.self) { $0.stars >= 2 }
            $0.share(Camera.self)
        }
        let photos = try await scoped.query(Photo.self).fields { $0.name }.all()
        #expect(try photos.map { try $0.name } == ["p2", "p3"])
        #expect(throws: RecordError.self) { try photos[0].stars }
    }

    @Test func livePageWithALimitOfBytesFollowsTheSizes() async throws {
        try await insert(3)
        var pages = store.query(Photo.self).limit(bytes: 2_500).live().makeAsyncIterator()
        #expect(try await pages.next()?.result.get().map(\.id) == [1, 2])
        try await store.update(Photo.self, named: 1) { $0.bytes = Data() }
        #expect(try await pages.next()?.result.get().map(\.id) == [1, 2, 3])
    }
}
