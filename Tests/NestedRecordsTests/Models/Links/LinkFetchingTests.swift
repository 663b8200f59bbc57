import NestedRecords
import TestSupport
import Testing

/// The target of a link is never fetched.
@Suite struct LinkFetchingTests {
    struct School: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
    }

    /// How people were written once: with their schools.
    struct OldPerson: RecordCodable, Identifiable, Equatable {
        static let recordType = "Person"
        @RecordName var id: String
        var school: School
        var note: Embedded<School>
        var byYear: [String: School]
    }

    struct OldClub: RecordCodable, Identifiable, Equatable {
        static let recordType = "Club"
        @RecordName var id: String
        var members: [OldPerson]
    }

    struct Person: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var school: RecordLink<School>
        var note: Embedded<RecordLink<School>>
        var byYear: [String: RecordLink<School>]
    }

    struct Club: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var members: [Person]
    }

    static var club: OldClub {
        OldClub(
            id: "c",
            members: ["ada", "bo"].map { name in
                OldPerson(
                    id: name, school: School(id: "s" + name),
                    note: Embedded(before: 1, value: School(id: "n" + name), after: ""),
                    byYear: ["1": School(id: "y" + name)])
            })
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func targetIsNotFetchedThoughItWasOnceNested(_ strategy: EmbeddingStrategy) async throws {
        let (encoder, decoder) = coders(strategy)
        let database = try await CountingDatabase(holding: encoder.encode(Self.club))
        for _ in 1...3 {
            database.forgetCalls()
            let club = try await decoder.decode(Club.self, named: "c", in: database)
            #expect(club.members.map(\.school.id.name) == ["sada", "sbo"])
            #expect(club.members.map(\.note.value.id.name) == ["nada", "nbo"])
            #expect(club.members.map { $0.byYear["1"]?.id.name } == ["yada", "ybo"])
            #expect(database.sortedCalls == [["Club/c"], ["Person/ada", "Person/bo"]])
        }
    }

    struct Page: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var next: RecordLink<Page>?
        var parts: Payload<RecordLink<Page>> = .none
        var inner: Embedded<[RecordLink<Page>]>?
        var chapters: [Chapter] = []
    }

    struct Chapter: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var page: RecordLink<Page>
        var other: Page?
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func linkIsNeverFetchedWhereverItStands(_ strategy: EmbeddingStrategy) async throws {
        var (encoder, decoder) = coders(.flattened())
        (encoder.coding.embeddingStrategy, decoder.coding.embeddingStrategy) = (strategy, strategy)
        func link(_ name: String) throws -> RecordLink<Page> { try RecordLink(holding: Page(id: name)) }
        let other = Page(id: "other", next: try link("a"))
        let page = Page(
            id: "root", next: try link("b"), parts: .two(left: try link("c"), right: try link("d")),
            inner: Embedded(before: 1, value: [try link("e"), try link("e")], after: ""),
            chapters: [Chapter(id: 1, page: try link("f"), other: other), Chapter(id: 2, page: try link("root2"))])
        let graph = try encoder.encode(page)
        #expect(graph.count == 11)
        let database = try await CountingDatabase(holding: graph)
        for _ in 1...2 {
            database.forgetCalls()
            decoder.coding.maximumRecords = 4
            #expect(try await decoder.decode(Page.self, named: "root", in: database) == page)
            #expect(database.sortedCalls == [["Page/root"], ["Chapter/1", "Chapter/2"], ["Page/other"]])
        }
    }
}
