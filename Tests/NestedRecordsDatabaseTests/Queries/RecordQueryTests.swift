import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct RecordQueryTests {
    /// Records with fields of few different values, so that many are the same.
    private func makeRecords(_ count: Int, seed: UInt64) throws -> [Record] {
        var random = RandomRecord(seed: seed)
        let values: [Record.Value] = [
            .null, 1, 2, .double(1), .double(1.5), "a", "b", "\0", true, .double(.nan), .list([1]),
            try Flat.reference("Book/1"),
        ]
        return try (0..<count).map { number in
            var fields = Record.Fields()
            for name in ["a", "b"] where !random.generator.chance(oneIn: 4) {
                fields[name] = random.generator.pick(values)
            }
            if random.generator.chance(oneIn: 3) { fields["c"] = try random.value(depth: 1) }
            return try Record(
                id: Record.ID(type: number % 5 == 0 ? "Shelf" : "Book", name: "\(number)"), fields: fields)
        }
    }

    private func makeFilter(_ random: inout RandomRecord, depth: Int) throws -> RecordFilter {
        let path = FieldPath([random.generator.pick(["a", "b", "c"])])
        let value = random.generator.pick([1, "a", .double(1), .null, "b", true] as [Record.Value])
        switch depth == 0
            ? Int.random(in: 3...7, using: &random.generator) : Int.random(in: 0...7, using: &random.generator)
        {
        case 0: return try .all([makeFilter(&random, depth: depth - 1), makeFilter(&random, depth: depth - 1)])
        case 1: return try .any([makeFilter(&random, depth: depth - 1), makeFilter(&random, depth: depth - 1)])
        case 2: return try .not(makeFilter(&random, depth: depth - 1))
        case 3: return .exists(path)
        case 4: return .isAny(path, of: [value, 2])
        case 5: return .contains(path, value)
        default:
            return .compare(path, random.generator.pick(RecordFilter.Comparison.allCases), value)
        }
    }

    @Test func pagesAreThePartsOfTheSortedWhole() async throws {
        let seed = Sweep.seed
        var random = RandomRecord(seed: seed)
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: makeRecords(120, seed: seed)))
        var records: [Record] = []
        for try await record in database.records(ofType: nil) { records.append(record) }
        for _ in 0..<Sweep.count(20, whole: 60) {
            var query = RecordQuery("Book")
            if !random.generator.chance(oneIn: 4) { query.filter = try makeFilter(&random, depth: 2) }
            query.order = random.generator.pick([
                [], [RecordOrder("a")], [RecordOrder("b", isDescending: true), RecordOrder("a")],
                [RecordOrder("c", isDescending: true)], [RecordOrder(.recordName, isDescending: true)],
            ])
            let expected = try records.filter { try $0.id.type == "Book" && query.filter?.matches($0) ?? true }
                .sorted { isBefore($0, $1, query.order) }.map(\.id)
            #expect(try await database.count(query) == expected.count, "seed \(seed)")
            query.limit = random.generator.pick([1, 2, 7, 50, 200, nil])
            var found: [Record.ID] = []
            repeat {
                let page = try await database.page(query)
                #expect(page.records.count <= query.limit ?? .max)
                #expect(page.next == nil || !page.records.isEmpty)
                found += page.records.map(\.id)
                query.after = page.next.flatMap { QueryCursor($0.description) }
                #expect((query.after == nil) == (page.next == nil))
            } while query.after != nil
            #expect(found == expected, "seed \(seed), \(query)")
        }
    }

    private func isBefore(_ left: Record, _ right: Record, _ order: [RecordOrder]) -> Bool {
        for part in order {
            let result =
                part.path == .recordName
                ? PlainOrder.compare(.string(left.id.name), .string(right.id.name))
                : PlainOrder.compare(left[part.path.names[0]], right[part.path.names[0]])
            if result != 0 { return part.isDescending ? result > 0 : result < 0 }
        }
        return left.id < right.id
    }

    @Test func insertsAndDeletionsElsewhereNeitherRepeatNorSkip() async throws {
        let database = InMemoryRecordDatabase()
        let names = (0..<100).map { String($0 + 100) }
        for name in names { try await database.commit(RecordBatch(saving: [Flat.record("Book/\(name)")])) }
        var query = RecordQuery("Book", order: [RecordOrder("none")], limit: 7)
        var found: [String] = []
        repeat {
            let page = try await database.page(query)
            found += page.records.map(\.id.name)
            query.after = page.next
            let last = page.records.last?.id.name ?? ""
            try await database.delete([Record.ID(type: "Book", name: last)], .dangling)
            try await database.commit(
                RecordBatch(saving: [Flat.record("Book/\(last)a"), Flat.record("Book/0\(last)")]))
        } while query.after != nil
        #expect(found.filter { $0.count == 3 } == names)
        #expect(Set(found).count == found.count)
    }

    @Test func filterFollowsReferences() async throws {
        let database = InMemoryRecordDatabase()
        try await database.commit(
            RecordBatch(saving: [
                Flat.record("City/x", ["name": "Inverie"]), Flat.record("City/y", ["name": "Mallaig"]),
                Flat.record("School/1", ["city": Flat.reference("City/x")]),
                Flat.record("School/2", ["city": Flat.reference("City/y")]),
                Flat.record("Pupil/a", ["schools": Flat.references(["School/2", "School/1"])]),
                Flat.record("Pupil/b", ["schools": Flat.references(["School/2"])]),
                Flat.record("Pupil/c", ["schools": Flat.reference("School/1")]), Flat.record("Pupil/d"),
            ]))
        let city = RecordFilter.refers("city", to: "City", where: .compare("name", .equal, "Inverie"))
        let filter = RecordFilter.refers("schools", to: "School", where: city)
        let page = try await database.page(RecordQuery("Pupil", where: filter))
        #expect(page.records.map(\.id.name) == ["a", "c"] && page.examinedCount == 8 && page.matchCount == 2)
        let others = try await database.page(RecordQuery("Pupil", where: !filter && .exists("schools")))
        #expect(others.records.map(\.id.name) == ["b"])
        let two = filter || .refers("schools", to: "School", where: !city)
        #expect(try await database.count(RecordQuery("Pupil", where: two)) == 3)
    }

    @Test func referrersAreFoundWithTheirPaths() async throws {
        let database = InMemoryRecordDatabase()
        try await database.commit(
            RecordBatch(saving: [
                Flat.record("A/1", ["x": .map(["y": Flat.references(["B/1", "B/2", "B/1"])])]),
                Flat.record("A/2", ["z": Flat.reference("B/2", isLink: true)]), Flat.record("B/2"),
            ]))
        let found = try await database.referrers(of: [Record.ID("B/1"), Record.ID("B/2"), Record.ID("B/3")])
        #expect(
            found.mapValues { $0.map(\.description) } == [
                try Record.ID("B/1"): ["A/1 .x.y[0]", "A/1 .x.y[2]"],
                try Record.ID("B/2"): ["A/1 .x.y[1]", "A/2 .z"],
            ])
    }

    @Test func cursorOfAnotherQueryIsRefused() async throws {
        let database = InMemoryRecordDatabase()
        for number in 0..<5 { try await database.commit(RecordBatch(saving: [Flat.record("Book/\(number)")])) }
        let query = RecordQuery(
            "Book", where: .exists("a") || .not(.exists("a")), order: [RecordOrder("a.b")], limit: 2)
        let cursor = try #require(try await database.page(query).next)
        var others = Array(repeating: query, count: 5)
        others[0].recordType = "Shelf"
        others[1].filter = nil
        others[2].order[0].isDescending = true
        others[3].filter = .exists("a") || .not(.exists("b"))
        others[4].order[0].path = FieldPath(["a.b"])
        for var other in others {
            other.after = cursor
            let error = await #expect(throws: RecordError.self) { try await database.page(other) }
            #expect(error?.code == .foreignCursor)
        }
        var same = query
        same.after = cursor
        same.limit = 100
        #expect(try await database.page(same).records.map(\.id.name) == ["2", "3", "4"])
    }

    @Test func cursorOfAQueryWithTheSameTextIsRefused() async throws {
        let database = InMemoryRecordDatabase()
        for number in 0..<3 { try await database.commit(RecordBatch(saving: [Flat.record("Book/\(number)")])) }
        func query(_ first: String, _ second: String) -> RecordQuery {
            let order = [first, second].map { RecordOrder(FieldPath([$0]), isDescending: true) }
            return RecordQuery("Book", order: order, limit: 1)
        }
        var other = query("b1t5c", "d")
        other.after = try await database.page(query("b", "c1t5d")).next
        #expect(other.after != nil)
        let error = await #expect(throws: RecordError.self) { try await database.page(other) }
        #expect(error?.code == .foreignCursor)
    }

    @Test func changedStringIsNotACursor() throws {
        let query = RecordQuery("Book", order: [RecordOrder("a")])
        let text = QueryCursor(of: query, after: try Flat.record("Book/1", ["a": "é\0"])).description
        #expect(QueryCursor(text)?.description == text)
        #expect(
            try JSONDecoder().decode([QueryCursor].self, from: Data("[\"\(text)\"]".utf8)).first?.description == text)
        for position in text.indices {
            var changed = text
            changed.replaceSubrange(position...position, with: text[position] == "x" ? "y" : "x")
            #expect(QueryCursor(changed) == nil)
        }
        #expect(try QueryCursor(text: text).description == text)
        for length in 0..<text.count {
            let part = String(text.prefix(length))
            #expect(QueryCursor(part) == nil)
            let error = #expect(throws: RecordError.self) { try QueryCursor(text: part) }
            #expect(error?.code == .invalidCursor)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(QueryCursor.self, from: Data("\"abc\"".utf8))
        }
    }

    @Test(arguments: [1, 63, 64, 65, 128, 300]) func memoryFindsWhatTheFilterHoldsFor(_ count: Int) async throws {
        let records = try (0..<count).map { number in
            // Fields at two positions, and missing ones.
            let fields: Record.Fields =
                switch number % 4 {
                case 0: ["a": .int(Int64(number))]
                case 1: ["b": 1, "a": .double(Double(number))]
                case 2: ["b": .int(Int64(number))]
                default: ["m": .map(["x": .int(Int64(number))]), "a": "text"]
                }
            return try Flat.record("Book/\(number)", fields)
        }
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: records))
        let half = Record.Value.int(Int64(count / 2))
        let filters: [RecordFilter] = [
            .compare("a", .atLeast, half), .compare("a", .notEqual, half), .compare("a", .equal, "text"),
            .compare("m.x", .less, half), .compare(.recordName, .greater, "2"), .compare("none", .notEqual, half),
            .compare("a", .less, half) && .exists("b"), .all([.all([]), .compare("b", .greater, 0)]),
            .compare("a", .less, half) || .exists("b"), !.compare("a", .less, half), .any([]), .all([]),
        ]
        for filter in filters {
            let page = try await database.page(RecordQuery("Book", where: filter))
            let expected = try records.filter { try filter.matches($0) }
            #expect(Set(page.records.map(\.id)) == Set(expected.map(\.id)), "\(filter)")
            #expect(page.examinedCount == count && page.matchCount == expected.count)
        }
    }

    @Test func hugeFiltersAreAnsweredOrRefused() async throws {
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: [Flat.record("Book/1", ["a": 99_999])]))
        let values = (0..<100_000).map { Record.Value.int($0) }
        #expect(try await database.count(RecordQuery("Book", where: .isAny("a", of: values))) == 1)
        let path = FieldPath(Array(repeating: "a", count: 1_000))
        #expect(try await database.count(RecordQuery("Book", where: .exists(path))) == 0)
        let most = RecordFilter.all(Array(repeating: .exists("a"), count: 999))
        #expect(try await database.count(RecordQuery("Book", where: most)) == 1)
        let many = RecordFilter.all(Array(repeating: .exists("a"), count: 1_000))
        let references = RecordFilter.all((0..<17).map { _ in .refers("a", to: "Book") })
        for filter in [many, references] {
            let error = await #expect(throws: RecordError.self) {
                try await database.page(RecordQuery("Book", where: filter))
            }
            #expect(error?.code == .filterTooLarge)
        }
    }
}
