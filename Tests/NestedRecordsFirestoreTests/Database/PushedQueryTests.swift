import Foundation
import NestedRecordsFirestore
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// What Firestore selects, so that fewer documents are read.
struct PushedQueryTests {
    private let server = StandInServer()

    private func save(_ values: [Record.Value], as field: String = "n") async throws -> FirestoreRecordDatabase {
        let database = try database(server)
        for start in stride(from: 0, to: values.count, by: 500) {
            let part = values[start...].prefix(500).enumerated().map { ($0 + start, $1) }
            try await database.commit(
                RecordBatch(
                    saving: try part.map { number, value in
                        try Record(id: Record.ID(type: "Book", name: "\(number)"), fields: [field: value])
                    }))
        }
        server.counts.withLock { $0 = [:] }
        return database
    }

    // MARK: Fields in maps

    @Test func fieldInAMapIsPushedDown() async throws {
        let database = try await save((0..<100).map { ["city": .string("c\($0 % 10)"), "": 1, "floor": .int($0)] })
        for (filter, count) in [
            (RecordFilter.compare("n.city", .equal, "c3"), 10), (.compare("n.floor", .atLeast, 96), 4),
            (.all([.compare("n.city", .equal, "c3"), .compare("n.floor", .less, 50)]), 10),
            (.hasPrefix("n.city", "c9"), 10), (.isAny("n.floor", of: [3, 5]), 2),
        ] {
            #expect(try await database.page(RecordQuery("Book", where: filter)).examinedCount == count, "\(filter)")
        }
        let words = try await database.explanation(of: RecordQuery("Book", where: .compare("n.city", .equal, "c3")))
        #expect(words == "Firestore selects documents of Book by 'n.city'. Examines each of them.")
    }

    @Test func fieldOfALocationIsFoundThoughItIsNotAField() async throws {
        let place = Record.Value.location(try Location(latitude: 5, longitude: 6))
        let database = try await save([place, ["latitude": 5, "longitude": 1]])
        let query = RecordQuery("Book", where: .compare("n.latitude", .equal, 5))
        #expect(try await database.page(query).records.count == 2)
    }

    @Test func fieldWithAFullStopIsAnotherThanOneInAMap() async throws {
        let database = try await save([["b": 1]], as: "a")
        let id = try Record.ID(type: "Book", name: "dotted")
        try await database.commit(RecordBatch(saving: [try Record(id: id, fields: ["a.b": 1, "c`\\": 2])]))
        for (path, names) in [
            (FieldPath(["a.b"]), ["dotted"]), (FieldPath(["a", "b"]), ["0"]), (FieldPath(["c`\\"]), []),
        ] {
            let page = try await database.page(RecordQuery("Book", where: .compare(path, .equal, 1)))
            #expect(page.records.map(\.id.name) == names && page.examinedCount == names.count)
        }
    }

    @Test func fieldInADeepMapIsFound() async throws {
        var (value, path) = (Record.Value.int(1), [String]())
        for _ in 0..<30 {
            value = ["a": value]
            path.append("a")
            let database = try await save([value], as: "a")
            let query = RecordQuery("Book", where: .compare(FieldPath(["a"] + path), .equal, 1))
            #expect(try await database.page(query).records.count == 1, "\(path.count)")
            server.removeAll()
        }
    }

    // MARK: Orders

    @Test(arguments: [false, true]) func pagesByAFieldAreReadInItsOrder(_ isDescending: Bool) async throws {
        var random = SplitMix64(seed: 1)
        let values: [Record.Value] = (0..<900).map { number in
            switch number % 5 {
            case 0: .int(Int64.random(in: -20...20, using: &random))
            case 1: .double(Double(Int.random(in: -40...40, using: &random)) / 2)
            case 2: number % 50 == 2 ? .double(-0.0) : .double(Double(number) / 8)
            case 3: .string("text")
            default: .int(Int64.random(in: 0...1 << 50, using: &random))
            }
        }
        let database = try await save(values)
        let memory = InMemoryRecordDatabase()
        for try await record in database.records(ofType: "Book") {
            try await memory.commit(RecordBatch(saving: [try Record(id: record.id, fields: record.fields)]))
        }
        var query = RecordQuery(
            "Book", where: .compare("n", .atLeast, -15), order: [RecordOrder("n", isDescending: isDescending)],
            limit: 20)
        var (names, examined) = ([String](), 0)
        repeat {
            let page = try await database.page(query)
            names += page.records.map(\.id.name)
            examined += page.examinedCount
            query.after = page.next
        } while query.after != nil
        (query.limit, query.after) = (nil, nil)
        let expected = try await memory.page(query).records.map(\.id.name)
        #expect(names == expected)
        // Each page begins after the last one, apart from records with the same number.
        #expect(examined < 5 * expected.count)
    }

    @Test func pageByAFieldTakesOneRequest() async throws {
        let database = try await save((0..<1_000).map { .string("\($0)") })
        for isDescending in [false, true] {
            let query = RecordQuery(
                "Book", where: .compare("n", .greater, "2"), order: [RecordOrder("n", isDescending: isDescending)],
                limit: 20)
            server.counts.withLock { $0 = [:] }
            let page = try await database.page(query)
            let names = (0..<1_000).map { "\($0)" }.filter { $0 > "2" }.sorted()
            let expected = isDescending ? Array(names.reversed().prefix(20)) : Array(names.prefix(20))
            #expect(page.records.map(\.id.name) == expected)
            #expect(page.next != nil && page.examinedCount == 22)
            #expect(server.counts.withLock { $0 } == ["runQuery": 1])
            #expect(try await database.explanation(of: query).hasSuffix("in its order until the page is full."))
        }
    }

    @Test func pageOfLongTextsIsThatOfADatabaseInMemory() async throws {
        let texts = (0..<40).map { String(repeating: "x", count: 470 + $0) + "\($0 % 7)" }
        let database = try await save(texts.map { .string($0) })
        let memory = InMemoryRecordDatabase()
        for try await record in database.records(ofType: "Book") {
            try await memory.commit(RecordBatch(saving: [try Record(id: record.id, fields: record.fields)]))
        }
        for bound in ["", texts[3], texts[20]] {
            let query = RecordQuery(
                "Book", where: .compare("n", .atLeast, .string(bound)), order: [RecordOrder("n")], limit: 15)
            let (page, expected) = (try await database.page(query), try await memory.page(query))
            #expect(page.records.map(\.id) == expected.records.map(\.id))
        }
    }

    // MARK: Types

    @Test func refusedListOfCollectionsSaysWhatIsNotFound() async throws {
        let database = try FirestoreRecordDatabase(
            project: "test", access: .emulator(host: "127.0.0.1"), transport: Unlisted(base: StandInTransport(server)))
        let id = try Record.ID(type: "Book", name: "1")
        let error = await #expect(throws: RecordDatabaseError.self) { _ = try await database.referrers(of: [id]) }
        #expect(error?.code == .notPermitted)
        #expect(
            error?.reason
                == "records of all types cannot be found, since the collections may not be listed: Missing or insufficient permissions."
        )
        #expect(error?.hint?.hasPrefix("name the types of the records in the option 'types'") == true)
    }

    /// Refuses to list collections, as for users' tokens.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/get-data#list_subcollections_of_a_document
    private struct Unlisted: RecordHTTPTransport {
        let base: StandInTransport

        func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
            guard request.path.hasSuffix(":listCollectionIds") else {
                return try await base.send(request, deadline: deadline)
            }
            let refusal = StandInError(
                code: 403, status: "PERMISSION_DENIED", message: "Missing or insufficient permissions.")
            return RecordHTTPResponse(403, refusal.json)
        }
    }
}
