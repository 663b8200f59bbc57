import Foundation
import NestedRecords
import TestSupport
import Testing

/// What every database refuses, and how it answers at the limits of its values.
@Suite struct EngineLimitTests {
    private struct Counter: RecordCodable, Identifiable {
        var id: Int
        var count: UInt64
        static let recordType = "EngineCounter"
    }

    /// Calls the closure with each kind of database.
    private func forEachEngine(
        indexes: [FieldIndex] = [], _ body: (Engine) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        for engine in try await Engine.all(in: folder, indexes: indexes, now: { Date() }) {
            try await body(engine)
            try await engine.end()
        }
    }

    private func readValues(_ query: Query<Counter>) async throws {
        for try await _ in query.values() {}
    }

    @Test func aLimitBelowZeroIsRefused() async throws {
        try await forEachEngine(indexes: [FieldIndex("EngineCounter", by: "count")]) { engine in
            let database = engine.database
            try await database.values.overwrite([Counter(id: 1, count: 1), Counter(id: 2, count: 2)])
            for filter in [nil, RecordFilter.compare("count", .less, 5), .compare("none", .equal, 1)] {
                let query = RecordQuery("EngineCounter", where: filter, limit: -5)
                let failure = await #expect(throws: RecordError.self, "\(engine.name)") {
                    try await database.page(query)
                }
                #expect(failure?.code == .invalidLimit && failure?.reason == "it is -5", "\(engine.name)")
            }
            await #expect(throws: RecordError.self, "\(engine.name)") {
                try await readValues(database.values.query(Counter.self).limit(-5))
            }
        }
    }

    @Test(arguments: [true, false]) func integersBeyondInt64AreFoundInOrder(_ hasIndex: Bool) async throws {
        let counts = [UInt64(1), UInt64(Int64.max), 1 << 63, 1 << 63 + 1, .max - 1, .max]
        try await forEachEngine(indexes: hasIndex ? [FieldIndex("EngineCounter", by: "count")] : []) { engine in
            try await engine.database.values.overwrite(
                counts.enumerated().map { Counter(id: $0.offset, count: $0.element) })
            func find(_ filter: (QueryField<Counter, Counter>) -> QueryFilter<Counter>) async throws -> [UInt64] {
                let query = engine.database.values.query(Counter.self).filter { filter($0) }.sorted { $0.count }
                return try await query.all().map(\.count)
            }
            for count in counts {
                #expect(try await find { $0.count == count } == [count], "\(engine.name)")
                #expect(
                    try await find { $0.count > count } == counts.filter { $0 > count }, "\(engine.name): > \(count)")
                let others = counts.filter { $0 <= count }
                #expect(try await find { $0.count <= count } == others, "\(engine.name): <= \(count)")
            }
        }
    }

    @Test func valuesThatAreNestedTooDeeplyAreRefused() async throws {
        func nested(_ depth: Int) throws -> Record {
            var value = Record.Value.list([])
            for level in 1..<depth { value = level.isMultiple(of: 2) ? .list([value]) : .map(["a": value]) }
            return try Record(id: Record.ID("A/\(depth)"), fields: ["deep": value])
        }
        try await forEachEngine { engine in
            try await engine.database.commit(RecordBatch(saving: [try nested(1_000)], savePolicy: .overwrite))
            for others in [[], [try Flat.record("A/other")]] {
                let failure = await #expect(throws: RecordError.self, "\(engine.name)") {
                    try await engine.database.commit(
                        RecordBatch(saving: [try nested(1_001)] + others, savePolicy: .overwrite))
                }
                #expect(failure?.code == .depthLimitExceeded && failure?.limit == 1_000, "\(engine.name)")
            }
            #expect(try await engine.database.allRecords.count == 1, "\(engine.name)")
        }
    }
}
