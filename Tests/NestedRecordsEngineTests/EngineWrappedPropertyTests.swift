import Foundation
import NestedRecords
import TestSupport
import Testing

/// Queries, summaries and changes by properties with wrappers, on all databases.
@Suite struct EngineWrappedPropertyTests {
    private struct Place: Codable, Equatable { var town: String }

    private struct Note: RecordCodable, Equatable {
        @RecordName var id: String
        var text: String
        @ServerTimestamp var createdAt: Date?
        @ServerTimestamp var changedAt: Date?
        @ExplicitNull var reviewer: String?
        @ExplicitNull var place: Place?
        static let recordType = "EngineNote"
        static let schema = RecordSchema(indexes: [["createdAt"], ["reviewer", "changedAt"], ["id"]])
    }

    private static func day(_ number: Int) -> Date { Date(timeIntervalSince1970: Double(number) * 86_400) }

    private static let notes = (0..<6).map { number in
        Note(
            id: "n\(number)", text: "\(number)", createdAt: day(10 - number), changedAt: day(number * 7 % 4),
            reviewer: [nil, "Ada", "Bo"][number % 3], place: number < 2 ? Place(town: "Town \(number)") : nil)
    }

    private static let filters: [(filter: QueryFilter<Note>, isTrue: @Sendable (Note) -> Bool)] = [
        (QueryFilter { $0.id == "n3" }, { $0.id == "n3" }), (QueryFilter { $0.id != "n3" }, { $0.id != "n3" }),
        (QueryFilter { $0.id >= "n3" }, { $0.id >= "n3" }), (QueryFilter { $0.id.hasPrefix("n") }, { _ in true }),
        (QueryFilter { $0.id.isAny(of: ["n1", "x"]) }, { $0.id == "n1" }),
        (QueryFilter { $0.createdAt > day(7) }, { $0.createdAt.map { $0 > day(7) } ?? false }),
        (QueryFilter { $0.changedAt == day(0) }, { $0.changedAt == day(0) }),
        (QueryFilter { $0.reviewer == nil }, { $0.reviewer == nil }),
        (QueryFilter { $0.reviewer == "Ada" }, { $0.reviewer == "Ada" }),
        (QueryFilter { $0.place.town == "Town 1" }, { $0.place?.town == "Town 1" }),
        (QueryFilter { $0.place == nil }, { $0.place == nil }),
    ]

    private func forEachEngine(_ body: (RecordStore, String) async throws -> Void) async throws {
        try await Engine.forEachStore(indexes: try FieldIndex.declared(by: Note.self), now: { Self.day(100) }) {
            store, name in
            try await store.overwrite(Self.notes)
            try await body(store, name)
        }
    }

    @Test func filtersOfWrappedPropertiesFindWhatSwiftFinds() async throws {
        try await forEachEngine { store, name in
            for (filter, isTrue) in Self.filters {
                let query = store.query(Note.self).filter { _ in filter }
                let expected = Self.notes.filter(isTrue).map(\.id)
                let (found, count) = (try await query.all().map(\.id), try await query.count())
                #expect(found == expected, "\(name): \(filter)")
                #expect(count == expected.count, "\(name): \(filter)")
            }
        }
    }

    @Test func ordersByWrappedPropertiesGoOnFromPageToPage() async throws {
        try await forEachEngine { store, name in
            let query = store.query(Note.self)
            for (query, expected) in [
                (query.sorted { $0.createdAt }, [5, 4, 3, 2, 1, 0]),
                (query.sorted(descending: true) { $0.createdAt }, [0, 1, 2, 3, 4, 5]),
                (query.sorted { $0.reviewer }.sorted { $0.changedAt }, [0, 3, 4, 1, 2, 5]),
                (query.sorted(descending: true) { $0.id }, [5, 4, 3, 2, 1, 0]),
            ] {
                var (found, cursor): ([String], QueryCursor?) = ([], nil)
                repeat {
                    let page = try await query.limit(4).after(cursor).page()
                    found += page.map(\.id)
                    cursor = page.next
                } while cursor != nil
                #expect(found == expected.map { "n\($0)" }, "\(name): \(query)")
            }
        }
    }

    @Test func summariesOfWrappedProperties() async throws {
        try await forEachEngine { store, name in
            let query = store.query(Note.self)
            #expect(try await query.min { $0.createdAt } == Self.day(5), "\(name)")
            #expect(try await query.max { $0.createdAt } == Self.day(10), "\(name)")
            #expect(try await query.max { $0.id } == "n5", "\(name)")
            let groups = try await query.grouped { $0.reviewer }.count()
            #expect(groups.map(\.key) == [nil, "Ada", "Bo"] && groups.map(\.value) == [2, 2, 2], "\(name)")
        }
    }

    @Test func changesOfWrappedPropertiesStoreWhatTheTypeWrites() async throws {
        try await forEachEngine { store, name in
            try await store.change(Note.self, named: "n1") {
                $0.createdAt.set(nil)
                $0.reviewer.set(nil)
                $0.changedAt.set(Self.day(50))
            }
            let note = try await store.fetch(Note.self, named: "n1").value
            #expect(note.createdAt == Self.day(100) && note.changedAt == Self.day(50), "\(name)")
            #expect(note.reviewer == nil, "\(name)")
            let record = try #require(try await store.database.record(for: Record.ID(of: Note.self, named: "n1")))
            #expect(record["reviewer"] == .null, "\(name)")
            try await store.change(Note.self, named: "n1") { $0.reviewer.set("Cy") }
            let found = try await store.query(Note.self).filter { $0.reviewer == "Cy" }.all()
            #expect(found.map(\.id) == ["n1"], "\(name)")
            let error = await #expect(throws: RecordError.self) {
                try await store.change(Note.self, named: "n1") { $0.id.set("n9") }
            }
            #expect(error?.code == .unchangeableField)
            #expect(error?.reason?.contains("is the name of the record, not a field") == true)
        }
    }
}
