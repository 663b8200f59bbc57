import Foundation
import NestedRecords
import TestSupport
import Testing

/// Pages for which one index selects and another index orders, on all databases that keep indexes.
@Suite struct EnginePlanTests {
    /// How the owner of a record depends on its due date.
    private enum Relation: CaseIterable {
        case unrelated
        case blocks
        case last

        func owner(of number: Int) -> Int {
            switch self {
            case .unrelated: number * 7_919 % 2_003 % 40
            case .blocks: number / 100
            case .last: number < 1_900 ? 1 : 2
            }
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: [1, 20, 400])
    func everyDatabaseGivesTheSamePages(limit: Int) async throws {
        let folder = try TemporaryFolder()
        let indexes = [FieldIndex("Task", by: "owner"), FieldIndex("Task", by: "due")]
        let engines = try await Engine.all(in: folder, indexes: indexes, now: { Date() })
            .filter { $0.name != "file" }
        for relation in Relation.allCases {
            let records = try (0..<2_000).map { number in
                try Record(
                    id: Record.ID(type: "Task", name: "\(number)"),
                    fields: [
                        "owner": .int(Int64(relation.owner(of: number))), "due": .int(Int64(number / 3)),
                        "isDone": .bool(number.isMultiple(of: 5)),
                    ])
            }
            for engine in engines {
                try await engine.database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            }
            for owner in [0, 1, 2, 7] {
                for filter in [
                    .compare("owner", .equal, .int(Int64(owner))),
                    .compare("owner", .equal, .int(Int64(owner))) && .compare("isDone", .equal, true),
                    .compare("owner", .atMost, .int(Int64(owner))) && .compare("due", .greater, 100),
                ] as [RecordFilter] {
                    for isDescending in [false, true] {
                        var query = RecordQuery(
                            "Task", where: filter, order: [RecordOrder("due", isDescending: isDescending)], limit: limit
                        )
                        for _ in 0..<6 {
                            let expected = try await engines[0].database.page(query)
                            // The second time the choice between the plans is known.
                            for engine in engines.dropFirst() + engines.dropFirst() {
                                let page = try await engine.database.page(query)
                                #expect(
                                    page.records.map(\.id) == expected.records.map(\.id),
                                    "\(engine.name), \(relation): \(query)")
                                #expect(page.next == expected.next)
                            }
                            guard let next = expected.next else { break }
                            query.after = next
                        }
                    }
                }
            }
        }
        for engine in engines { try await engine.end() }
    }
}
