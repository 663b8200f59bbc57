import Foundation
import NestedRecords
import TestSupport
import Testing

/// Queries of properties that are nil, on all databases.
@Suite struct EngineNilQueryTests {
    private struct Person: RecordCodable, Identifiable {
        var id: String
        var name: String?
        static let recordType = "EnginePerson"
    }

    private struct Letter: RecordCodable, Identifiable {
        var id: Int
        var subject: String?
        var sender: Person?
        static let recordType = "EngineLetter"
    }

    private static let filters: [(filter: QueryFilter<Letter>, ids: [Int])] = [
        (QueryFilter { $0.sender.name == "Ada" }, [1]), (QueryFilter { $0.sender.name != "Ada" }, [2, 3, 4]),
        (QueryFilter { $0.sender.name == nil }, [3, 4]), (QueryFilter { $0.sender.name != nil }, [1, 2]),
        (QueryFilter { $0.sender.name.isAny(of: ["Bo", nil]) }, [2, 3, 4]),
        (QueryFilter { $0.subject.isAny(of: [nil, "Tides"]) }, [1, 3, 4]),
        (QueryFilter { !$0.subject.isAny(of: [nil]) }, [1, 2]),
    ]

    @Test func whatIsNilIsFound() async throws {
        let indexes = [
            FieldIndex("EngineLetter", by: "subject"), FieldIndex("EngineLetter", by: "sender"),
            FieldIndex("EnginePerson", by: "name"),
        ]
        try await Engine.forEachStore(indexes: indexes) { store, name in
            try await store.overwrite([
                Letter(id: 1, subject: "Tides", sender: Person(id: "a", name: "Ada")),
                Letter(id: 2, subject: "Sands", sender: Person(id: "b", name: "Bo")),
                Letter(id: 3, subject: nil, sender: Person(id: "n", name: nil)), Letter(id: 4),
            ])
            for (filter, ids) in Self.filters {
                let query = store.query(Letter.self).filter { _ in filter }
                let found = try await query.all().map(\.id)
                #expect(found == ids, "\(name): \(filter)")
                #expect(try await query.count() == ids.count, "\(name): \(filter)")
            }
        }
    }
}
