import Foundation
import NestedRecords
import TestSupport
import Testing

private struct Note: RecordCodable, Identifiable {
    var id: String
    var readers: [String]
    var isPublic: Bool
    static let recordType = "FeedNote"
}

private struct Project: RecordCodable, Identifiable {
    var id: String
    var members: [String]
    static let recordType = "FeedProject"
}

private struct Visit: RecordCodable, Identifiable {
    var id: String
    var project: RecordLink<Project>
    static let recordType = "FeedVisit"
}

private struct Tag: RecordCodable, Identifiable {
    var id: String
    static let recordType = "FeedTag"
}

/// The feeds of readers on all databases with audiences.
@Suite struct ReaderFeedTests {
    /// `AUDIENCE_STEPS` in the environment makes the games longer.
    private static let stepCount = ProcessInfo.processInfo.environment["AUDIENCE_STEPS"].flatMap { Int($0) } ?? 120

    /// Three readers play against a model of what each may see, while the database is opened again and compacted.
    @Test(arguments: Sweep.seeds(6, whole: 400))
    func readersGetWhatTheySeeAndLearnNothingElse(_ seed: UInt64) async throws {
        try await Engine.forEach { engine in
            guard engine.database.capabilities.contains(.audiences) else { return }
            var game = try await ReaderGame(seed: seed, engine)
            for _ in 0..<Self.stepCount { try await game.play() }
            try await game.end()
        }
    }

    private func forEachWithAudiences(_ body: (inout Engine) async throws -> Void) async throws {
        try await Engine.forEach { engine in
            guard engine.database.capabilities.contains(.audiences) else { return }
            var engine = engine
            try await declareAudiences(in: engine)
            try await body(&engine)
            try await engine.end()
        }
    }

    /// The container to which it goes is left again before its contents are listed.
    @Test func departureOfARecordThatCanBeSeenAgainIsReported() async throws {
        try await forEachWithAudiences { engine in
            func save(_ record: Record) async throws {
                try await engine.database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            }
            for record in [try project("a", of: ["ann"]), try project("b", of: []), try visit(of: "a")] {
                try await save(record)
            }
            var token = try await feed(of: "ann", in: engine).changeToken()
            try await save(visit(of: "b"))
            try await save(Flat.record("FeedNote/n", ["readers": ["ann"]]))
            try await save(project("b", of: ["ann"]))
            let page = try await feed(of: "ann", in: engine).changes(since: token, limit: 1)
            #expect(try page.departed == [visit(of: "b").id], "\(engine.name): \(page)")
            token = page.token
            try await save(project("b", of: []))
            var seen: Set<Record.ID> = []
            while true {
                let page = try await feed(of: "ann", in: engine).changes(since: token, limit: 1)
                seen.formUnion(page.saved.map(\.id))
                token = page.token
                if page.isComplete { break }
            }
            #expect(seen == [try Record.ID("FeedNote/n")], "\(engine.name)")
        }
    }

    /// One call waits while others change their records: a hundred times as many as a game has steps.
    @Test func waitGoesOnWhileStrangersChangeTheirRecords() async throws {
        try await forEachWithAudiences { engine in
            let calls = Locked<[String]>([])
            let monitored = MonitoredRecordDatabase(engine.database) { call in
                calls.withLock { $0.append("\(call.function) \(call.count)") }
            }
            let store = try RecordStore(monitored).scoped(for: "ann") {
                $0.rule(Note.self) { $0.readers.contains("ann") }
            }
            let anns = try #require(store.database.feed)
            let token = try await anns.changeToken()
            let wait = Task { try await anns.waitForChanges(after: token) }
            for number in 0..<Self.stepCount / 10 {
                let notes = try (0..<1_000).map {
                    try Flat.record("FeedNote/b\($0)", ["readers": ["bo"], "number": .int(Int64(number))])
                }
                try await engine.database.commit(RecordBatch(saving: notes, savePolicy: .overwrite))
            }
            #expect(calls.withLock { $0 } == ["changeToken 0"], "\(engine.name)")
            let own = try Flat.record("FeedNote/a", ["readers": ["ann"]])
            try await engine.database.commit(RecordBatch(saving: [own]))
            try await wait.value
            let page = try await anns.changes(since: token, limit: 10)
            #expect(page.saved.map(\.id) == [own.id] && page.isComplete, "\(engine.name): \(page)")
            #expect(calls.withLock { $0 } == ["changeToken 0", "wait 0", "changes 1"], "\(engine.name)")
        }
    }

    /// A container that was joined before the token is not new after a compaction: what it loses is reported.
    @Test func compactionKeepsWhenContainersWereJoined() async throws {
        try await forEachWithAudiences { engine in
            try await engine.database.commit(RecordBatch(saving: [try project("a", of: ["ann"]), try visit(of: "a")]))
            let token = try await feed(of: "ann", in: engine).changeToken()
            let changed = try project("a", of: ["ann", "bo"], 2)
            try await engine.database.commit(RecordBatch(saving: [changed], savePolicy: .overwrite))
            try await engine.database.delete([visit(of: "a").id])
            try await engine.compact()
            try await engine.reopen()
            let page = try await feed(of: "ann", in: engine).changes(since: token, limit: 10)
            #expect(try page.deleted == [visit(of: "a").id] && page.isComplete, "\(engine.name): \(page)")
            #expect(page.saved.map(\.id) == [changed.id], "\(engine.name): \(page)")
        }
    }

    private func note(_ name: String, _ readers: [Record.Value], isPublic: Bool = false) throws -> Record {
        try Flat.record("FeedNote/\(name)", ["readers": .list(readers), "isPublic": .bool(isPublic)])
    }

    /// A compaction drops the versions that others have replaced, so that a batch may end with another change.
    @Test func compactionKeepsDeparturesWithTheChangesOfTheirBatch() async throws {
        try await forEachWithAudiences { engine in
            let old = [try note("a", [], isPublic: true), try note("b", ["cy"])]
            try await engine.database.commit(RecordBatch(saving: old))
            let start = try await feed(of: "cy", in: engine).changeToken()
            // The first one stays visible for another reason, and the last one is changed again.
            let batch = [try note("a", ["cy"]), try note("b", ["cy", "ann"])]
            try await engine.database.commit(RecordBatch(saving: batch, savePolicy: .overwrite))
            try await engine.database.commit(RecordBatch(saving: [try note("b", ["cy"])], savePolicy: .overwrite))
            try await engine.compact()
            try await engine.reopen()
            var (token, seen) = (start, Set(old.map(\.id)))
            while true {
                let page = try await feed(of: "cy", in: engine).changes(since: token, limit: 1)
                seen.subtract(page.removed)
                seen.formUnion(page.saved.map(\.id))
                token = page.token
                if page.isComplete { break }
            }
            #expect(seen == Set(old.map(\.id)), "\(engine.name)")
        }
    }

    /// More changes follow a batch that has more records than a page.
    @Test(arguments: ["FeedNote", "FeedTag"]) func batchThatFillsAPageIsNotTheLast(_ type: String) async throws {
        try await forEachWithAudiences { engine in
            func records(_ names: String) throws -> [Record] {
                try names.map {
                    type == "FeedTag" ? try Flat.record("FeedTag/\($0)", ["text": 1]) : try note("\($0)", ["ann"])
                }
            }
            var token = try await feed(of: "ann", in: engine).changeToken()
            for names in ["abc", "d", "ef", "g"] {
                try await engine.database.commit(RecordBatch(saving: records(names)))
            }
            try await engine.database.delete(records("bcd").map(\.id))
            try await engine.database.delete(records("e").map(\.id))
            var (saved, deleted) = (Set<String>(), Set<String>())
            while true {
                let page = try await feed(of: "ann", in: engine).changes(since: token, limit: 1)
                saved.formUnion(page.saved.map(\.id.name))
                deleted.formUnion(page.deleted.map(\.name))
                token = page.token
                if page.isComplete { break }
            }
            #expect(saved == ["a", "f", "g"], "\(engine.name)")
            #expect(deleted == ["b", "c", "d", "e"], "\(engine.name)")
        }
    }
}

private func declareAudiences(in engine: Engine) async throws {
    let database = engine.database
    try await database.declare(RecordAudience("FeedNote", readers: "readers", everybody: "isPublic"))
    try await database.declare(RecordAudience("FeedProject", readers: "members"))
    try await database.declare(RecordAudience("FeedVisit", container: "project", ofType: "FeedProject"))
}

private func scope(of reader: String, in engine: Engine) throws -> any RecordDatabase {
    try RecordStore(engine.database).scoped(for: reader) {
        $0.rule(Note.self) { $0.readers.contains(reader) || $0.isPublic }
        $0.rule(Project.self) { $0.members.contains(reader) }
        $0.rule(Visit.self) { $0.project.members.contains(reader) }
        $0.share(Tag.self)
    }.database
}

private func feed(of reader: String, in engine: Engine) throws -> any RecordFeed {
    try #require(try scope(of: reader, in: engine).feed)
}

private func project(_ name: String, of members: [Record.Value], _ text: Record.Value = 1) throws -> Record {
    try Flat.record("FeedProject/\(name)", ["members": .list(members), "text": text])
}

private func visit(of project: String) throws -> Record {
    try Flat.record("FeedVisit/v", ["project": Flat.reference("FeedProject/\(project)")])
}

private struct ReaderGame {
    private static let readers = ["ann", "bo", "cy"]

    private struct Copy {
        var token: ChangeToken
        var records: [Record.ID: Record] = [:]
    }

    private var engine: Engine
    private var random: SplitMix64
    private let ids: [Record.ID]
    private let projects: [Record.ID]
    private var records: [Record.ID: Record] = [:]
    private var copies: [String: Copy] = [:]
    private var seenOnce: [String: Set<Record.ID>] = [:]

    init(seed: UInt64, _ engine: Engine) async throws {
        (self.engine, random) = (engine, SplitMix64(seed: seed))
        func some(_ type: String, _ count: Int) throws -> [Record.ID] {
            try (0..<count).map { try Record.ID(type: type, name: "\($0)") }
        }
        projects = try some("FeedProject", 3)
        ids = try projects + some("FeedNote", 4) + some("FeedVisit", 6) + some("FeedTag", 2)
        try await declareAudiences(in: engine)
        for reader in Self.readers {
            copies[reader] = Copy(token: try await feed(of: reader, in: engine).changeToken())
            seenOnce[reader] = []
        }
    }

    private func shows(_ id: Record.ID, to reader: String) -> Bool {
        guard let record = records[id] else { return false }
        func names(_ record: Record?, _ field: String) -> Bool {
            if case .list(let names)? = record?[field] { names.contains(.string(reader)) } else { false }
        }
        switch id.type {
        case "FeedTag": return true
        case "FeedNote": return record["isPublic"] == true || names(record, "readers")
        case "FeedProject": return names(record, "members")
        default:
            guard case .reference(let reference)? = record["project"] else { return false }
            return names(records[reference.id], "members")
        }
    }

    private mutating func changed(_ id: Record.ID) throws -> Record {
        var record = try records[id] ?? Record(id: id, fields: [:])
        record["text"] = .int(Int64.random(in: 0..<1_000_000, using: &random))
        if records[id] != nil, random.chance(oneIn: 2) { return record }
        let names = Self.readers.filter { _ in Int.random(in: 0..<5, using: &random) < 2 }
        switch id.type {
        case "FeedNote":
            record["readers"] = .list(names.map { .string($0) })
            record["isPublic"] = .bool(random.chance(oneIn: 5))
        case "FeedProject": record["members"] = .list(names.map { .string($0) })
        case "FeedVisit": record["project"] = .reference(Record.Reference(to: random.pick(projects)))
        default: break
        }
        return record
    }

    mutating func play() async throws {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try await engine.reopen()
        case 1: try await engine.compact()
        case 2..<24: try await commit()
        default: try await read(random.pick(Self.readers))
        }
    }

    private mutating func commit() async throws {
        var batch = RecordBatch()
        for id in Set((0..<Int.random(in: 1...3, using: &random)).map { _ in random.pick(ids) }).sorted() {
            if records[id] != nil, random.chance(oneIn: 4) {
                batch.deletions.append(RecordBatch.VersionedID(id))
            } else {
                batch.saves.append(try changed(id))
            }
        }
        let saved = try await engine.database.commit(batch)
        for deletion in batch.deletions { records[deletion.id] = nil }
        for var record in batch.saves {
            record.metadata = saved[record.id]
            records[record.id] = record
        }
        for reader in Self.readers {
            let seen = records.keys.filter { shows($0, to: reader) }
            seenOnce[reader]?.formUnion(seen)
        }
    }

    /// - Returns: Whether the page was the last one.
    @discardableResult
    private mutating func read(_ reader: String) async throws -> Bool {
        var copy = try #require(copies[reader])
        let limit = random.pick([1, 2, 5, 100])
        let page = try await feed(of: reader, in: engine).changes(since: copy.token, limit: limit)
        let named = Set(page.saved.map(\.id) + page.left + page.deleted + page.departed)
        let strange = named.subtracting(seenOnce[reader] ?? [])
        #expect(strange.isEmpty, "\(engine.name): \(reader) never saw \(strange)")
        for project in page.left {
            copy.records = copy.records.filter { id, record in
                if case .reference(let reference)? = record["project"] { return reference.id != project }
                return id != project
            }
        }
        for id in page.departed + page.deleted { copy.records[id] = nil }
        for record in page.saved {
            #expect(records[record.id] == record && shows(record.id, to: reader), "\(engine.name): \(record)")
            copy.records[record.id] = record
        }
        copy.token = page.token
        copies[reader] = copy
        if page.isComplete { try await check(reader) }
        return page.isComplete
    }

    private func check(_ reader: String) async throws {
        let seen = records.filter { shows($0.key, to: reader) }
        #expect(copies[reader]?.records == seen, "\(engine.name): \(reader)")
        var listed: [Record.ID: Record] = [:]
        for try await record in try scope(of: reader, in: engine).records(ofType: nil) { listed[record.id] = record }
        #expect(listed == seen, "\(engine.name): \(reader)")
    }

    mutating func end() async throws {
        for reader in Self.readers {
            var count = 0
            // A page may be empty and not the last one, while a transaction of another test is open.
            while try await !read(reader) {
                count += 1
                try #require(count < 1_000, "\(reader) never ends")
            }
        }
        try await engine.end()
    }
}
