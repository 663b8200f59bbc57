import Foundation
import HTTPTestSupport
import NestedRecordsFile
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import NestedRecords

/// A survey with members, over the memory database, over a record file, and over a server with each of them.
@Suite struct SurveyTests {
    enum Kind: CaseIterable {
        case memory, file, memoryOnServer, fileOnServer
    }

    /// Calls the closure with the store of everything, and a function that gives each member their own.
    private static func with(
        _ kind: Kind, _ body: (_ all: RecordStore, _ store: (_ user: String) throws -> RecordStore) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let file = kind == .file || kind == .fileOnServer ? try FileRecordDatabase(path: folder.path()) : nil
        let all = RecordStore(file ?? InMemoryRecordDatabase() as any RecordDatabase)
        try await Survey.prepare(all)
        try await Survey.fill(all)
        try await body(all) { user in
            if kind == .memory || kind == .file { return try Survey.scope(of: user, in: all) }
            let service = RecordDatabaseService { request in
                let user = request.headers["authorization"] ?? "Bearer nobody"
                let reader = String(user.dropFirst("Bearer ".count))
                return RecordDatabaseService.Access(
                    reader: reader, database: try Survey.scope(of: reader, in: all).database)
            }
            var options = RemoteRecordDatabase.Options()
            options.accessToken = { _ in user }
            return RecordStore(RemoteRecordDatabase(JoinedTransport(service), options: options))
        }
        try await file?.close()
    }

    @Test(arguments: Kind.allCases)
    func memberListsTheRecordsOfAProject(_ kind: Kind) async throws {
        try await Self.with(kind) { _, store in
            let store = try store("ann")
            let coast = try RecordLink<Project>(named: "coast")
            #expect(try await store.query(Project.self).all().map(\.id) == ["coast"])
            let sites = try await store.query(Site.self).filter { $0.project == coast }.sorted { $0.name }.all()
            #expect(sites.map(\.name) == ["Site 1", "Site 2"])
            #expect(
                try await store.query(Visit.self).filter { $0.site == RecordLink(to: sites[0].recordID) }.count() == 3)
            #expect(try await store.query(Observation.self).filter { $0.project == coast }.sum { $0.count } == 60)
            let atSite = store.query(Observation.self).filter { $0.visit.date < Survey.month(6).lowerBound }
            #expect(try await atSite.count() == 8)
        }
    }

    @Test(arguments: Kind.allCases)
    func observationsAreCountedByMonth(_ kind: Kind) async throws {
        try await Self.with(kind) { _, store in
            let observations = try store("bo").query(Observation.self)
            let months = try await observations.grouped(by: .month, in: .gmt) { $0.date }.count()
            #expect(months.map(\.key) == (5...7).map { Survey.month($0).lowerBound })
            #expect(months.map(\.value) == [8, 8, 8])
            let june = Survey.month(6)
            let found = observations.filter {
                $0.date >= june.lowerBound
                $0.date < june.upperBound
            }
            #expect(try await found.count() == 8)
            let days = try await observations.grouped { $0.date }.sum { $0.count }
            #expect(days.count == 6 && days.allSatisfy { $0.value == 10 })
        }
    }

    @Test(arguments: Kind.allCases)
    func observationsOfAGenusAreFoundByItsDescendants(_ kind: Kind) async throws {
        try await Self.with(kind) { _, store in
            let store = try store("ann")
            let below = try await store.query(Species.self).descendants(of: "gulls", by: \.parent)
            #expect(below.map(\.id.name) == ["larus", "rissa", "larus canus", "larus fuscus", "rissa tridactyla"])
            let genus = try await store.query(Species.self).descendants(of: "larus", by: \.parent)
            let links = genus.map { RecordLink<Species>(to: $0.id) }
            let seen = store.query(Observation.self).filter { $0.species.isAny(of: links) }
            #expect(try await seen.count() == 12)
            let above = try await store.query(Species.self).ancestors(of: "larus canus", by: \.parent)
            #expect(above.map(\.id.name) == ["larus", "gulls", "birds", "animals"])
        }
    }

    @Test(arguments: Kind.allCases)
    func photosAreListedWithoutTheirBytes(_ kind: Kind) async throws {
        try await Self.with(kind) { _, store in
            let photos = try store("ann").query(Photo.self).sorted(descending: true) { $0.date }
            var names: [String] = []
            var cursor: QueryCursor?
            repeat {
                let page = try await photos.after(cursor).limit(10).fields {
                    $0.name; $0.date
                }.page()
                names += try page.records.map { try $0.name }
                #expect(throws: RecordError.self) { try page.records[0].bytes }
                cursor = page.next
            } while cursor != nil
            #expect(names.count == 24 && names.first == "IMG coast-2-3-0" && names.last == "IMG coast-1-1-3")
            // Whole photos come three at a time.
            let page = try await photos.limit(bytes: 70_000).page()
            #expect(page.map(\.name) == Array(names.prefix(3)) && page.next != nil)
            #expect(try await photos.limit(bytes: 70_000).after(page.next).page().first?.name == names[3])
        }
    }

    @Test(arguments: Kind.allCases)
    func memberSeesNothingOfAnotherProject(_ kind: Kind) async throws {
        try await Self.with(kind) { all, store in
            let cys = try store("cy")
            let bos = try store("bo")
            #expect(try await cys.query(Project.self).all().map(\.id) == ["island"])
            #expect(try await cys.query(Observation.self).all().allSatisfy { $0.project.id.name == "island" })
            #expect(try await cys.query(Photo.self).fields { $0.project }.all().count == 24)
            #expect(try await cys.fetchIfPresent(Site.self, named: "coast-1") == nil)
            #expect(try await cys.query(Site.self).filter { $0.project.name == "coast" }.count() == 0)
            let coast = try RecordLink<Project>(named: "coast")
            await #expect(throws: RecordError.self) {
                try await cys.insert(Site(id: "new", project: coast, name: "New"))
            }
            await #expect(throws: RecordError.self) { try await cys.insert(Species(id: "new", name: "New")) }

            // The feed of a member who joins has the project, and that of a stranger nothing.
            let feed = try #require(cys.database.feed)
            let strangers = try #require(bos.database.feed)
            let (token, bosToken) = (try await feed.changeToken(), try await strangers.changeToken())
            try await all.update(Project.self, named: "island") { $0.name = "Island" }
            #expect(try await feed.changes(since: token, limit: 100).saved.map(\.id.name) == ["island"])
            #expect(try await strangers.changes(since: bosToken, limit: 100).saved.isEmpty)
            #expect(try await bos.query(Visit.self).count() == 6)
            try await all.update(Project.self, named: "island") { $0.members.append("bo") }
            #expect(try await bos.query(Visit.self).count() == 12)
        }
    }
}
