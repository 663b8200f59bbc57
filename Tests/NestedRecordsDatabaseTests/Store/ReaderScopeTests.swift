import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ReaderScopeTests {
    private struct Note: RecordCodable, Identifiable {
        var id: String
        var readers: [String] = []
        var isPublic = false
        var text = ""
        static let recordType = "ReaderNote"
    }

    private struct Project: RecordCodable, Identifiable {
        var id: String
        var members: [String]
        static let recordType = "ReaderProject"
    }

    private struct Visit: RecordCodable, Identifiable {
        var id: String
        var project: RecordLink<Project>
        var text = ""
        static let recordType = "ReaderVisit"
    }

    private struct Tag: RecordCodable, Identifiable {
        var id: String
        static let recordType = "ReaderTag"
    }

    private let database = InMemoryRecordDatabase()
    private var store: RecordStore { RecordStore(database) }

    private func declareAll() async throws {
        try await database.declare(RecordAudience("ReaderNote", readers: "readers", everybody: "isPublic"))
        try await database.declare(RecordAudience("ReaderProject", readers: "members"))
        try await database.declare(RecordAudience("ReaderVisit", container: "project", ofType: "ReaderProject"))
    }

    private func scope(of reader: String, in store: RecordStore? = nil) throws -> RecordStore {
        try (store ?? self.store).scoped(for: reader) {
            $0.rule(Note.self) { $0.readers.contains(reader) || $0.isPublic }
            $0.rule(Project.self) { $0.members.contains(reader) }
            $0.rule(Visit.self) { $0.project.members.contains(reader) }
            $0.share(Tag.self)
        }
    }

    private func expectOutside(_ body: () async throws -> Void) async {
        let error = await #expect(throws: RecordError.self) { try await body() }
        #expect(error?.code == .outsideScope)
    }

    private func feed(of reader: String) throws -> any RecordFeed { try #require(try scope(of: reader).database.feed) }

    private func changes(_ feed: any RecordFeed, _ token: inout ChangeToken) async throws -> [String] {
        var found: [String] = []
        while true {
            let page = try await feed.changes(since: token, limit: 100)
            token = page.token
            found += page.left.map { "left \($0.name)" } + page.departed.map { "departed \($0.name)" }
            found += page.deleted.map { "deleted \($0.name)" } + page.saved.map { "saved \($0.id.name)" }
            if page.isComplete { return found }
        }
    }

    @Test func audiencesAreDeclaredByProperties() async throws {
        try await store.declare(Note.self, readers: { $0.readers }, everybody: { $0.isPublic })
        try await store.declare(Project.self, readers: { $0.members })
        try await store.declare(Visit.self, container: { $0.project })
        let declared = try await database.audiences()
        try await declareAll()
        #expect(try await database.audiences() == declared)
        #expect(declared.count == 3)
    }

    @Test func audienceOfAPropertyOfAnotherRecordIsRefused() async throws {
        var codes: [RecordError.Code?] = []
        for declare in [
            { try await $0.declare(Visit.self, readers: { $0.project.members }) },
            { try await $0.declare(Visit.self, container: { $0.text }) },
        ] as [(RecordStore) async throws -> Void] {
            codes.append(await #expect(throws: RecordError.self) { try await declare(store) }?.code)
        }
        #expect(codes == [.unknownField, .unknownField])
        #expect(try await database.audiences().isEmpty)
    }

    @Test func departedDeletedAndLeftAreReportedApart() async throws {
        try await declareAll()
        let anns = try feed(of: "ann")
        var token = try await anns.changeToken()
        let p = Project(id: "p", members: ["bo"])
        try await store.insert(p)
        try await store.insert(Visit(id: "v", project: try RecordLink(to: p)))
        try await store.insert([
            Note(id: "1", readers: ["ann"]), Note(id: "2", readers: ["bo"]), Note(id: "3", isPublic: true),
        ])
        try await store.insert(Tag(id: "t"))
        #expect(try await changes(anns, &token) == ["saved 1", "saved 3", "saved t"])
        try await store.update(Note.self, named: "1") { $0.readers = ["bo"] }
        try await store.update(Note.self, named: "2") { $0.text = "private" }
        try await store.delete(Note.self, named: "3")
        try await store.delete(Note.self, named: "2")
        #expect(try await changes(anns, &token) == ["departed 1", "deleted 3"])
        try await store.update(Project.self, named: "p") { $0.members = ["ann", "bo"] }
        #expect(try await changes(anns, &token) == ["saved p", "saved v"])
        try await store.update(Visit.self, named: "v") { $0.text = "new" }
        #expect(try await changes(anns, &token) == ["saved v"])
        try await store.update(Project.self, named: "p") { $0.members = [] }
        try await store.update(Visit.self, named: "v") { $0.text = "private" }
        #expect(try await changes(anns, &token) == ["left p"])
        try await store.delete(Tag.self, named: "t")
        #expect(try await changes(anns, &token) == ["deleted t"])
    }

    @Test func tokenIsThatOfOneReaderAndItsRules() async throws {
        try await declareAll()
        let token = try await feed(of: "ann").changeToken()
        func expiry(_ token: ChangeToken, _ feed: (any RecordFeed)?) async throws -> ChangeToken.Expiry? {
            let error = await #expect(throws: RecordDatabaseError.self) {
                _ = try await feed?.changes(since: token, limit: 1)
            }
            return error?.expiry
        }
        #expect(try await expiry(token, feed(of: "bo")) == .otherReader)
        #expect(try await expiry(database.changeToken(), feed(of: "ann")) == .otherReader)
        let fewer = try store.scoped(for: "ann") { $0.rule(Note.self) { $0.readers.contains("ann") } }
        #expect(try await expiry(token, fewer.database.feed) == .scopeChanged)
        #expect(try await expiry(token, database) == .otherStore)
        #expect(try ChangeToken(#require(ChangeToken(token.description)).description) == token)
        _ = try await feed(of: "ann").changes(since: token, limit: 1)
        try await database.declare(RecordAudience("ReaderProject", readers: "owners"))
        try await database.declare(RecordAudience("ReaderProject", readers: "members"))
        #expect(try await expiry(token, feed(of: "ann")) == .purged)
    }

    @Test func feedNeedsDeclarations() async throws {
        func refusal(_ store: RecordStore) async throws -> String {
            let error = await #expect(throws: RecordDatabaseError.self) {
                _ = try await store.database.feed?.changeToken()
            }
            #expect(error?.code == .unsupported)
            return error.map { "\($0)" } ?? ""
        }
        try await database.declare(RecordAudience("ReaderNote", readers: "readers"))
        #expect(
            try await refusal(scope(of: "ann")).hasSuffix(
                "declare it: database.declare(RecordAudience(\"ReaderNote\", readers: \"readers\", everybody: \"isPublic\"))"
            ))
        try await database.declare(RecordAudience("ReaderNote", readers: "readers", everybody: "isPublic"))
        #expect(try await refusal(scope(of: "ann")).contains("database.declare(RecordAudience(\"ReaderProject\""))
        try await declareAll()
        _ = try await feed(of: "ann").changeToken()
        #expect(try await database.audiences().map(\.recordType) == ["ReaderNote", "ReaderProject", "ReaderVisit"])
        try await database.removeAudience(ofType: "ReaderVisit")
        #expect(try await refusal(scope(of: "ann")).contains("container: \"project\", ofType: \"ReaderProject\""))
        let other = try store.scoped(for: "ann") { $0.rule(Note.self) { $0.text == "x" } }
        #expect(try await refusal(other).contains("the rule for reading 'ReaderNote' is not about a reader"))
        let all = try store.scoped(for: "ann") { $0.ruleOfAllTypes(.compare("readers", .equal, "ann")) }
        #expect(try await refusal(all).contains("a rule of all types"))
        let withoutReader = try store.scoped { $0.rule(Visit.self) { $0.project.members.contains("ann") } }
        #expect(withoutReader.database.feed == nil)
        let plain = RecordStore(BrokenDatabase())
        #expect(try await refusal(scope(of: "ann", in: plain)).contains("needs audiences"))
        let undeclarable = await #expect(throws: RecordDatabaseError.self) {
            try await BrokenDatabase().declare(RecordAudience("Note", readers: "a"))
        }
        #expect(undeclarable?.missingCapabilities == .audiences)
        let invalid = await #expect(throws: RecordDatabaseError.self) {
            try await database.declare(RecordAudience("Note", readers: .changeTag))
        }
        #expect(invalid?.code == .invalidOptions)
        let unnamed = #expect(throws: RecordError.self) { try store.scoped(for: "") { $0.share(Tag.self) } }
        #expect(unnamed?.code == .invalidRule)
        // A user of a scope declares nothing.
        let hidden = await #expect(throws: RecordError.self) {
            try await scope(of: "ann").database.commit(
                RecordBatch(saving: [RecordAudience("Note", readers: "a").record]))
        }
        #expect(hidden?.code == .outsideScope)
    }

    @Test func feedWithoutARuleNamesTheRule() async throws {
        try await declareAll()
        let monitored = MonitoredRecordDatabase(database) { _ in }
        var retries = monitored.retryPolicy
        retries.attempts += 1
        let store = RecordStore(monitored, retries: retries)
        let anns = try #require(try scope(of: "ann", in: store).database.feed)
        var token = try await anns.changeToken()
        try await store.insert(Note(id: "1", readers: ["ann"]))
        #expect(try await changes(anns, &token) == ["saved 1"])
    }

    @Test func waitEndsForOnesOwnChangesAlone() async throws {
        try await declareAll()
        let anns = try feed(of: "ann")
        var token = try await anns.changeToken()
        let wait = Task { [token] in try await anns.waitForChanges(after: token) }
        for number in 0..<20 { try await store.insert(Note(id: "b\(number)", readers: ["bo"])) }
        try await Task.sleep(for: .milliseconds(20))
        let end = ContinuousClock.now
        try await store.insert(Note(id: "a", readers: ["ann"]))
        try await wait.value
        #expect(ContinuousClock.now >= end)
        #expect(try await changes(anns, &token) == ["saved a"])
        let cancelled = Task { [token] in try await anns.waitForChanges(after: token) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test func systemRecordsAreThoseOfTheReader() async throws {
        let (ann, bo) = (try scope(of: "ann").database, try scope(of: "bo").database)
        let id = try Record.ID("NestedRecords.Peer/\u{301}r")
        let saved = try await ann.commit(RecordBatch(saving: [try Record(id: id, fields: ["number": 1])]))
        #expect(saved.keys.sorted() == [id])
        let stored = try #require(try await ann.records(for: [id]).first)
        #expect(stored["number"] == 1 && stored.metadata == saved[id])
        #expect(try await bo.records(for: [id]).isEmpty)
        try await bo.commit(RecordBatch(saving: [try Record(id: id, fields: ["number": 2])]))
        try await bo.commit(RecordBatch(deletingAnyVersionOf: [id]))
        #expect(try await ann.records(for: [id]) == [stored])
        var batch = RecordBatch(saving: [try Record(id: Record.ID("ReaderNote/1"), fields: ["readers": ["ann"]])])
        batch.conditions = [RecordBatch.VersionedID(id, version: .missing)]
        let refused = batch
        let error = await #expect(throws: RecordDatabaseError.self) { _ = try await ann.commit(refused) }
        #expect(error?.code == .versionMismatch && error?.recordID == id)
        batch.conditions = [RecordBatch.VersionedID(id, version: RecordBatch.Version(of: stored))]
        _ = try? await ann.commit(batch)
        var next = stored
        next["number"] = 3
        try await ann.commit(RecordBatch(saving: [next]))
        let late = await #expect(throws: RecordDatabaseError.self) {
            _ = try await ann.commit(RecordBatch(saving: [stored]))
        }
        #expect(late?.code == .conflict && late?.serverRecord?["number"] == 3 && late?.serverRecord?.id == id)
        try await ann.commit(RecordBatch(deletingAnyVersionOf: [id]))
        #expect(try await ann.records(for: [id]).isEmpty)
        #expect(try await store.scoped { $0.share(Tag.self) }.database.records(for: [id]).isEmpty)
        let long = try Record.ID(type: id.type, name: String(repeating: "x", count: 240))
        let tooLong = await #expect(throws: RecordError.self) { _ = try await ann.records(for: [long]) }
        #expect(tooLong?.code == .invalidID)
    }

    @Test func rulesByContainerHoldForReadingAndWriting() async throws {
        let (p, q) = (Project(id: "p", members: ["ann"]), Project(id: "q", members: ["bo"]))
        try await store.insert([p, q])
        let links = try [RecordLink(to: p), RecordLink(to: q)]
        let (anns, bos) = (try scope(of: "ann"), try scope(of: "bo"))
        try await anns.insert(Visit(id: "1", project: links[0]))
        try await bos.insert(Visit(id: "2", project: links[1]))
        await expectOutside {
            _ = try await anns.insert(Visit(id: "3", project: links[1]))
        }
        await expectOutside {
            _ = try await anns.update(Visit.self, named: "1") { $0.project = links[1] }
        }
        #expect(try await anns.query(Visit.self).all().map(\.id) == ["1"])
        #expect(try await anns.query(Visit.self).count() == 1)
        #expect(try await anns.fetchIfPresent(Visit.self, named: "2")?.id == nil)
        #expect(try await anns.fetch(Visit.self, named: "1").id == "1")
        var listed: [Record.ID] = []
        for try await record in anns.database.records(ofType: nil) { listed.append(record.id) }
        #expect(listed.map(\.name).sorted() == ["1", "p"])
        #expect(try await anns.database.referrers(of: [Record.ID("ReaderProject/q")]).isEmpty)
        #expect(try await bos.database.referrers(of: [Record.ID("ReaderProject/q")]).count == 1)
        #expect(try await anns.delete(Visit.self, named: "2").isEmpty)
        // A container and its contents in one batch.
        let (r, link) = (Project(id: "r", members: ["ann"]), try RecordLink<Project>(to: Project(id: "r", members: [])))
        try await anns.transaction { store in
            try await store.insert(r)
            try await store.insert(Visit(id: "4", project: link))
        }
        #expect(try await anns.query(Visit.self).count() == 2)
        let mixed = #expect(throws: RecordError.self) {
            _ = try store.scoped { (scope: inout ScopedRecordDatabase) in
                scope.rule(Visit.self) {
                    $0.project.members.contains("ann")
                    $0.text == "x"
                }
            }
        }
        #expect(mixed?.code == .invalidRule)
    }

    @Test func memberWhoIsRemovedInThatMomentWritesNothing() async throws {
        try await store.insert(Project(id: "p", members: ["ann", "bo"]))
        let link = try RecordLink<Project>(to: Project(id: "p", members: []))
        let all = store
        let isFirst = Lock(true)
        let broken = BrokenDatabase(
            base: database,
            modify: { base, call in
                if isFirst.withLock({ $0.take() }), call.saves.contains(where: { $0.id.type == "ReaderVisit" }) {
                    try await all.update(Project.self, named: "p") { $0.members = ["bo"] }
                }
                return try await call.perform(in: base)
            })
        let anns = try scope(of: "ann", in: RecordStore(broken))
        await expectOutside { _ = try await anns.insert(Visit(id: "1", project: link)) }
        #expect(try await all.query(Visit.self).count() == 0)
    }

    @Test func liveValuesFollowTheirContainers() async throws {
        try await store.insert(Project(id: "p", members: ["bo"]))
        try await store.insert(Visit(id: "1", project: try RecordLink(to: Project(id: "p", members: []))))
        for anns in [
            try scope(of: "ann"),
            try store.scoped {
                $0.rule(Visit.self) { $0.project.members.contains("ann") }
            },
        ] {
            var values = anns.live(Visit.self, named: "1").makeAsyncIterator()
            var lists = anns.query(Visit.self).live().makeAsyncIterator()
            #expect(try await values.nextValue().map { $0?.id == nil } == true)
            #expect(try await lists.nextValue()?.count == 0)
            try await store.update(Project.self, named: "p") { $0.members = ["ann"] }
            #expect(try await values.nextValue()??.id == "1")
            #expect(try await lists.nextValue()?.map(\.id) == ["1"])
            try await store.update(Project.self, named: "p") { $0.members = ["bo"] }
            #expect(try await values.nextValue().map { $0?.id == nil } == true)
            #expect(try await lists.nextValue()?.count == 0)
        }
    }
}

extension Bool {
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
