import NestedRecordsFirestore
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// The table of the article about what each call costs.
struct CostTests {
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

    private let server = StandInServer()

    /// Calls a closure, expects it to take some requests, and the article to say so.
    private func expect(
        _ call: String, _ words: String, _ expected: Int, _ body: () async throws -> Void,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let article = try Article("NestedRecordsFirestore/NestedRecordsFirestore.docc/RecordsInFirestore.md")
        #expect(article.text.contains("\n| \(call) | \(words) |"), sourceLocation: location)
        let before = server.count
        try await body()
        #expect(server.count - before == expected, sourceLocation: location)
    }

    @Test func callsTakeAsManyRequestsAsTheArticleSays() async throws {
        let database = try database(server)
        let store = RecordStore(database)
        let pupils = (0..<400).map { Pupil(id: "\($0)", name: "\($0 % 7)") }
        let rooms = [Room(id: "a", pupils: Array(pupils[..<200])), Room(id: "b", pupils: Array(pupils[200...]))]
        let school = School(id: "hill", rooms: rooms)
        let save = ("save of a batch of up to 500 records", "1, and 1 more for the first of a process")
        try await expect(save.0, save.1, 2) { try await store.insert(school) }
        try await expect(save.0, save.1, 1) { try await store.insert(School(id: "new", rooms: [])) }
        try await expect("fetch", "1 for each level of nesting and 500 records", 3) {
            let found = try await store.fetch(School.self, named: "hill").value.rooms[1].pupils.count
            #expect(found == 200)
        }
        try await expect("save with the policy `overwrite`", "2", 2) { try await store.overwrite(pupils[0]) }
        let words = "2, and 3 of an `insert`"
        try await expect("conflict", words, 2) {
            let old = RecordBatch(saving: [try Record(id: Record.ID(type: "Pupil", name: "0"))])
            let found = await databaseErrorCode { try await database.commit(old) }
            #expect(found == .conflict)
        }
        try await expect("conflict", words, 3) {
            let found = await databaseErrorCode { try await store.insert(pupils[0]) }
            #expect(found == .conflict)
        }
        for (limit, expected) in [(10, 1), (350, 2)] {
            try await expect("query by name, with a limit", "1 for 300 records", expected) {
                let found = try await database.page(RecordQuery("Pupil", limit: limit)).records.count
                #expect(found == limit)
            }
        }
        try await expect("query with a condition that is pushed down", "1", 1) {
            let page = try await database.page(RecordQuery("Pupil", where: .compare("name", .equal, "3")))
            #expect(page.examinedCount == 57 && page.records.count == 57)
        }
        try await expect("other query, list of a type", "1 for 300 records", 2) {
            let found = try await database.page(RecordQuery("Pupil")).records.count
            #expect(found == 400)
        }
        try await expect("other query, list of a type", "1 for 300 records", 2) {
            let found = try await database.records(ofType: "Pupil").reduce(0) { count, _ in count + 1 }
            #expect(found == 400)
        }
        try await expect("count that Firestore computes", "1", 1) {
            let found = try await database.count(RecordQuery("Pupil"))
            #expect(found == 400)
        }
        try await expect("count that Firestore computes", "1", 1) {
            let found = try await database.count(RecordQuery("Pupil", where: .compare("name", .equal, "3")))
            #expect(found == 57)
        }
        let numbers = try (0..<400).map { try Record(id: Record.ID("Number/\($0)"), fields: ["n": .int($0)]) }
        try await database.commit(RecordBatch(saving: numbers))
        try await expect("query in the order of a field that its filter bounds, with a limit", "1 for 300 records", 1) {
            let query = RecordQuery(
                "Number", where: .compare("n", .atLeast, 100), order: [RecordOrder("n", isDescending: true)], limit: 10)
            let page = try await database.page(query)
            #expect(page.records.count == 10 && page.examinedCount == 12)
        }
        try await expect("sum, mean, least and greatest of integers in all records", "4", 4) {
            let found = try await database.summaries(of: RecordQuery("Number"), field: "n", groupedBy: nil)
            #expect(found.first?.sum == 79_800)
        }
        try await database.commit(RecordBatch(deletingAnyVersionOf: numbers.map(\.id)))
        // The names of three types are in two small pages of the server.
        let types = "1 for each type and 30 records, and 1 for the names of the types"
        try await expect("referrers", types, 2 * 3 + 2) {
            let ids = try (0..<31).map { try Record.ID(type: "Pupil", name: "\($0)") }
            #expect(try await database.referrers(of: ids).count == 31)
        }
    }
}

extension StandInServer {
    /// The number of all requests.
    var count: Int { counts.withLock { $0.values.reduce(0, +) } }
}
