import TestSupport
import Testing

@testable import NestedRecords

@Suite struct TreeTests {
    private struct Folder: RecordCodable, Identifiable {
        @RecordName var id: String
        var parent: RecordLink<Folder>?
        var owner = "ann"
        var tag: RecordLink<Tag>?
        static let recordType = "TreeFolder"
    }

    private struct Tag: RecordCodable, Identifiable {
        @RecordName var id: String
        static let recordType = "TreeTag"
    }

    private final class Part: RecordCodable, Identifiable {
        let id: Int
        let whole: Part?

        init(id: Int, whole: Part?) { (self.id, self.whole) = (id, whole) }
        static let recordType = "TreePart"
    }

    private let store = RecordStore(InMemoryRecordDatabase())

    private func insert() async throws {
        func folder(_ id: String, in parent: String? = nil, owner: String = "ann") throws -> Folder {
            Folder(id: id, parent: try parent.map { try RecordLink(named: $0) }, owner: owner)
        }
        try await store.insert([
            folder("root"), folder("a", in: "root"), folder("b", in: "root"), folder("c", in: "a"),
            folder("d", in: "c", owner: "bo"), folder("e", in: "d"),
        ])
    }

    @Test func findsDescendantsAndAncestorsByALink() async throws {
        try await insert()
        let below = try await store.query(Folder.self).descendants(of: "root", by: \.parent)
        #expect(below.map(\.id.name) == ["a", "b", "c", "d", "e"] && below.map(\.depth) == [1, 1, 2, 3, 4])
        let folders = try await store.fetch(Folder.self, named: below.map(\.id.name))
        #expect(folders.map(\.id) == ["a", "b", "c", "d", "e"])
        let above = try await store.query(Folder.self).ancestors(of: "e") { $0.parent }
        #expect(above.map(\.id.name) == ["d", "c", "a", "root"] && above.map(\.depth) == [1, 2, 3, 4])
        #expect(try await store.query(Folder.self).descendants(of: "e", by: \.parent).isEmpty)
        #expect(try await store.query(Folder.self).ancestors(of: "none", by: \.parent).isEmpty)
    }

    @Test func findsDescendantsByAReference() async throws {
        let whole = Part(id: 1, whole: nil)
        try await store.insert(Part(id: 3, whole: Part(id: 2, whole: whole)))
        #expect(try await store.query(Part.self).descendants(of: 1, by: \.whole).map(\.id.name) == ["2", "3"])
        #expect(try await store.query(Part.self).ancestors(of: 3, by: \.whole).map(\.id.name) == ["2", "1"])
    }

    @Test func filterAndScopeHideWhatIsBelow() async throws {
        try await insert()
        let query = store.query(Folder.self).filter { $0.owner == "ann" }
        #expect(try await query.descendants(of: "a", by: \.parent).map(\.id.name) == ["c"])
        #expect(try await query.ancestors(of: "e", by: \.parent).isEmpty)
        let scoped = try store.scoped { $0.rule(Folder.self) { $0.owner == "ann" } }.query(Folder.self)
        #expect(try await scoped.descendants(of: "a", by: \.parent).map(\.id.name) == ["c"])
        #expect(try await scoped.ancestors(of: "e", by: \.parent).isEmpty)
        // A record outside is like a missing one, to which a record inside refers.
        #expect(try await scoped.descendants(of: "d", by: \.parent).map(\.id.name) == ["e"])
    }

    @Test func transactionSeesItsOwnTree() async throws {
        try await insert()
        try await store.transaction { store in
            try await store.update(Folder.self, named: "c") { $0.parent = try RecordLink(named: "b") }
            let query = store.query(Folder.self)
            #expect(try await query.descendants(of: "a", by: \.parent).isEmpty)
            #expect(try await query.descendants(of: "b", by: \.parent).map(\.id.name) == ["c", "d", "e"])
            #expect(try await query.ancestors(of: "d", by: \.parent).map(\.id.name) == ["c", "b", "root"])
        }
    }

    @Test func tooManyRecordsAreRefused() async throws {
        try await insert()
        let query = store.query(Folder.self)
        #expect(try await query.descendants(of: "root", by: \.parent, atMost: 5).count == 5)
        #expect(try await query.descendants(of: "root", by: \.parent, atMost: .max).count == 5)
        for call in [
            { try await query.descendants(of: "root", by: \.parent, atMost: 4) },
            { try await query.ancestors(of: "e", by: \.parent, atMost: 3) },
            { try await query.descendants(of: "root", by: \.parent, atMost: 0) },
        ] as [() async throws -> [RecordDepth]] {
            let error = await #expect(throws: RecordError.self) { try await call() }
            #expect(error?.code == .treeTooLarge)
        }
        #expect(try await query.descendants(of: "e", by: \.parent, atMost: 0).isEmpty)
    }

    @Test func propertyThatLeadsToAnotherTypeIsAnError() async throws {
        let error = await #expect(throws: RecordError.self) {
            try await store.query(Folder.self).descendants(of: "a", by: \.tag)
        }
        #expect(error?.code == .unknownField)
        await #expect(throws: RecordError.self) {
            try await store.query(Folder.self).ancestors(of: "a", by: \.owner)
        }
    }

    @Test func eachLevelIsOneCallOfRecordsWithoutFields() async throws {
        try await insert()
        let queries = Locked<[RecordQuery]>([])
        let database = BrokenDatabase(answer: { base, query in
            queries.withLock { $0.append(query) }
            return try await base.page(query)
        })
        try await RecordStore(database).insert(
            (0..<20).map { number in
                Folder(id: "\(number)", parent: number == 0 ? nil : try RecordLink(named: "\((number - 1) / 10)"))
            })
        let below = try await RecordStore(database).query(Folder.self).descendants(of: "0", by: \.parent)
        #expect(below.count == 19 && queries.withLock { $0 }.map(\.fields) == [[], [], []])
    }
}
