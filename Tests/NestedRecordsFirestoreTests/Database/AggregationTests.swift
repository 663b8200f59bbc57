import Foundation
import NestedRecordsFirestore
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// Counts and sums, which Firestore computes where it does exactly.
struct AggregationTests {
    private let server = StandInServer()

    private func save(_ values: [Record.Value?], as field: String = "n") async throws -> FirestoreRecordDatabase {
        let database = try database(server)
        let records = try values.enumerated().map { number, value in
            var record = try Record(id: Record.ID(type: "Book", name: "\(number)"))
            record[field] = value
            return record
        }
        if !records.isEmpty { try await database.commit(RecordBatch(saving: records)) }
        server.counts.withLock { $0 = [:] }
        return database
    }

    private func summary(_ database: some RecordDatabase, _ field: FieldPath = "n") async throws -> RecordSummary {
        try #require(try await database.summaries(of: RecordQuery("Book"), field: field, groupedBy: nil).first)
    }

    @Test func sumOfIntegersIsFirestores() async throws {
        let numbers: [Int64] = (0..<700).map { Int64($0 * $0) - 100_000 } + [Int64.max - 300_000_000, -5]
        let database = try await save(numbers[..<350].map { .int($0) })
        let more = try numbers[350...].enumerated().map { number, value in
            try Record(id: Record.ID(type: "Book", name: "x\(number)"), fields: ["n": .int(value)])
        }
        try await database.commit(RecordBatch(saving: more))
        server.counts.withLock { $0 = [:] }
        let found = try await summary(database)
        #expect(server.counts.withLock { $0 } == ["runAggregationQuery": 2, "runQuery": 2])
        let sum = numbers.reduce(0, +)
        #expect(found.sum == .int(sum) && found.count == 702 && found.numberCount == 702)
        #expect(found.average == Double(sum) / 702)
        #expect(found.min == numbers.min().map { .int($0) } && found.max == numbers.max().map { .int($0) })
    }

    @Test func sumOfNestedIntegersIsFirestores() async throws {
        let database = try await save([["pages": 7], ["pages": 3, "": 1], ["pages": -2]])
        #expect(try await summary(database, "n.pages").sum == 8)
        #expect(server.counts.withLock { $0["runQuery"] } == 2)
    }

    @Test func summaryOfNoRecordsIsEmpty() async throws {
        let found = try await summary(try await save([]))
        #expect(found == RecordSummary.none && server.count == 2)
    }

    @Test(
        arguments: [
            [.int(.max), .int(1)], [1, .double(0.1), .double(0.2)], [1, nil, 3], [1, .null], [5, "a"], [true, 2],
            [1, .double(.infinity)], [1, .double(.nan)], [1, .number(digits: "18446744073709551615")],
            [.double(2), .double(-0.0)], [.int(.min), .double(-1e300)], [nil, nil], [.number(digits: "1e400"), 1],
        ] as [[Record.Value?]])
    func sumThatFirestoreWouldRoundOrNarrowIsComputedHere(_ values: [Record.Value?]) async throws {
        let database = try await save(values)
        let memory = InMemoryRecordDatabase()
        var records: [Record] = []
        for try await record in database.records(ofType: "Book") { records.append(record) }
        try await memory.commit(RecordBatch(saving: records.map { try Record(id: $0.id, fields: $0.fields) }))
        let (found, expected) = (try await summary(database), try await summary(memory))
        // Not-a-number is not equal to itself.
        #expect("\(found)" == "\(expected)")
    }

    @Test func listAmongTheNumbersIsAnErrorAsEverywhere() async throws {
        let database = try await save([1, [2]])
        let error = await #expect(throws: RecordError.self) { _ = try await summary(database) }
        #expect(error?.code == .invalidSummary)
    }

    @Test func sumWithAFilterIsComputedHere() async throws {
        let database = try await save([1, 2, 3])
        let query = RecordQuery("Book", where: .compare("n", .greater, 1))
        #expect(try await database.summaries(of: query, field: "n", groupedBy: nil).first?.sum == 5)
        #expect(server.counts.withLock { $0 } == ["runQuery": 1])
    }

    @Test(
        arguments: [
            (.compare("n", .equal, "a"), 2, true), (.compare("n", .equal, true), 1, true), (.isNull("n"), 1, true),
            (.isAny("n", of: ["a", "b", true]), 4, true), (.contains("n", "x"), 1, true),
            (.all([.compare("n", .equal, "a"), .compare("n", .equal, "a")]), 2, true),
            (.compare("n", .greater, "a"), 1, true), (.compare("n", .atMost, "a"), 2, true),
            (.hasPrefix("n", ""), 3, true),
            (.compare("n", .equal, 1), 1, false), (.compare("n", .atLeast, 1), 2, false),
            (.all([.compare("n", .equal, "a"), .not(.isNull("n"))]), 2, false),
            (.all([.compare("n", .equal, "a"), .hasPrefix("n", "a")]), 2, false),
            (.isAny("n", of: ["a", 1]), 3, false),
        ] as [(RecordFilter, Int, Bool)])
    func countIsFirestoresWhereItDecidesTheWholeFilter(
        _ filter: RecordFilter, _ expected: Int, _ isPushed: Bool
    ) async throws {
        // The last number is the nearest double of 1, and is not 1.
        let digits = Record.Value.number(digits: "1.00000000000000000001")
        let database = try await save(["a", "a", "b", true, .null, nil, ["x", 1], 1, digits])
        #expect(try await database.count(RecordQuery("Book", where: filter)) == expected)
        #expect(server.counts.withLock { $0 } == [isPushed ? "runAggregationQuery" : "runQuery": 1])
    }
}

extension RecordSummary {
    fileprivate static let none = RecordSummary(
        group: nil, count: 0, numberCount: 0, sum: 0, average: nil, min: nil, max: nil, double: 0)
}
