import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct CollationTests {
    private static let texts = [
        "zebra", "Zebra", "äpple", "a\u{308}pple", "apple", "Ånger", "öl", "oçá", "Banan", "", "co-op", "coop", "\0",
        "\u{1}", "ch", "cz", "ß", "ss", "각", "가é", "й", "и", "apple", "中", "👍",
    ]

    private func records() throws -> [Record] {
        var values: [Record.Value?] = Self.texts.map { .string($0) }
        values += [nil, .null, 1, true, .list(["ä"]), .date(.distantPast), .bytes(Data([1]))]
        values.append(.string(String(repeating: "é", count: 300)))
        return try values.enumerated().map { number, value in
            var record = try Record(
                id: Record.ID(type: "Sample", name: "\(number)"), fields: ["group": .int(Int64(number % 2))])
            record["text"] = value
            return record
        }
    }

    /// The order in words: kinds, then the rules of the locale, then bytes, then names.
    private func isBefore(_ left: Record, _ right: Record, _ locale: Locale, isDescending: Bool) -> Bool {
        var order = PlainOrder.compare(left["text"], right["text"])
        if case .string(let a)? = left["text"], case .string(let b)? = right["text"] {
            // Only the first 480 bytes count.
            let (a, b) = (String(a.prefix(240)), String(b.prefix(240)))
            let ruled = a.compare(b, options: .literal, range: nil, locale: locale).rawValue
            if ruled != 0 { order = ruled }
        }
        if order != 0 { return isDescending ? order > 0 : order < 0 }
        return left.id.name.utf8.lexicographicallyPrecedes(right.id.name.utf8)
    }

    @Test(arguments: ["sv", "sv_SE", "de", "en", "cs", "lt", "xx", "de@collation=phonebook"], [false, true])
    func pagesHaveTheOrderOfFoundation(_ identifier: String, isDescending: Bool) async throws {
        let records = try records()
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: records))
        let locale = Locale(identifier: identifier)
        let expected = records.sorted { isBefore($0, $1, locale, isDescending: isDescending) }.map(\.id.name)
        for limit in [1, 2, 7, 100, nil] {
            let order = RecordOrder("text", isDescending: isDescending, collation: identifier)
            var query = RecordQuery("Sample", order: [order], limit: limit)
            var found: [String] = []
            repeat {
                let page = try await database.page(query)
                found += page.records.map(\.id.name)
                query.after = try page.next.map { try QueryCursor(text: $0.description) }
            } while query.after != nil && found.count <= records.count
            #expect(found == expected, "\(identifier), \(limit ?? 0)")
        }
    }

    @Test func languagesHaveDifferentOrders() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        struct Word: RecordCodable, Identifiable {
            var id: Int
            var text: String
        }
        try await store.insert(["zebra", "äpple", "apple"].enumerated().map { Word(id: $0, text: $1) })
        let words = store.query(Word.self)
        #expect(try await words.sorted { $0.text }.all().map(\.text) == ["apple", "zebra", "äpple"])
        #expect(try await words.sorted(collation: "sv") { $0.text }.all().map(\.text) == ["apple", "zebra", "äpple"])
        #expect(try await words.sorted(collation: "de") { $0.text }.all().map(\.text) == ["apple", "äpple", "zebra"])
    }

    /// Foundation compares "ö" and "oç" differently in both directions without `.literal`.
    @Test(arguments: Sweep.seeds(4, whole: 100)) func orderIsTotal(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let letters = (0..<3).flatMap { _ in Self.texts } + ["\u{301}", "\u{308}", "o", "a", "ä", "ı", "İ", "-", " "]
        for identifier in ["sv", "cs", "de@collation=phonebook", "th", "xx"] {
            let collation = Collation(identifier)
            func compare(_ left: String, _ right: String) -> Int { collation.compare(left, right).rawValue }
            for _ in 0..<1_000 {
                let words = (0..<3).map { _ in
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in random.pick(letters) }.joined()
                }
                #expect(compare(words[0], words[1]) == -compare(words[1], words[0]), "\(words)")
                if compare(words[0], words[1]) <= 0, compare(words[1], words[2]) <= 0 {
                    #expect(compare(words[0], words[2]) <= 0, "\(words)")
                }
            }
        }
    }

    @Test(
        arguments: ["", "😀", "sv SE", "sv\0", "é", String(repeating: "s", count: 101), "../sv", "sv.UTF-8"])
    func otherIdentifiersAreRefused(_ identifier: String) async throws {
        let database = InMemoryRecordDatabase()
        let query = RecordQuery("Sample", order: [RecordOrder("text", collation: identifier)])
        let error = await #expect(throws: RecordError.self) { try await database.page(query) }
        #expect(error?.code == .invalidCollation)
        await #expect(throws: RecordError.self) { try await database.explanation(of: query) }
    }

    @Test func cursorOfAnotherCollationIsRefused() async throws {
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: records()))
        var query = RecordQuery("Sample", order: [RecordOrder("text", collation: "sv")], limit: 1)
        query.after = try await database.page(query).next
        for other in ["de", nil] {
            query.order = [RecordOrder("text", collation: other)]
            let error = await #expect(throws: RecordError.self) { try await database.page(query) }
            #expect(error?.code == .foreignCursor)
        }
    }

    @Test func indexSelectsButDoesNotOrder() throws {
        let indexes = [
            FieldIndex("Sample", by: "text"), FieldIndex("Sample", by: "group", "text"),
            FieldIndex("Sample", by: .recordName),
        ]
        for (filter, order, isOrdered) in [
            (nil, RecordOrder("text", collation: "sv"), false), (nil, RecordOrder(.recordName, collation: "sv"), false),
            (.compare("group", .equal, 1), RecordOrder("text", collation: "sv"), false),
            (.compare("group", .equal, 1), RecordOrder("text"), true),
            // All records have the same string.
            (.compare("text", .equal, "a"), RecordOrder("text", collation: "sv"), true),
        ] as [(RecordFilter?, RecordOrder, Bool)] {
            let query = RecordQuery("Sample", where: filter, order: [order], limit: 3)
            let (plan, inOrder) = try QueryPlan.alternatives(query, targets: [:], indexes: indexes)
            #expect(plan.isOrdered == isOrdered && inOrder == nil, "\(query)")
            #expect((plan.index != nil) == (filter != nil), "\(query)")
        }
    }

    @Test func placeOfAHostileKeyIsAPlace() {
        for bytes in [[0x35, 1], [0x35, 1, 0], [0x35, 1, 1], [0x35, 0], [0x35], [], [1], [0x35, 1, 4, 0x61]]
            as [[UInt8]]
        {
            let place = OrderPlace([SortKey(bound: bytes)], "", [RecordOrder("text", collation: "sv")])
            let order = PlaceOrder([RecordOrder("text", collation: "sv")])
            #expect(!order.isBefore(place, place))
        }
    }
}
