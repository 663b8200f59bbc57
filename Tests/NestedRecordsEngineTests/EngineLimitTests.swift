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

    private func readValues(_ query: Query<Counter>) async throws {
        for try await _ in query.values() {}
    }

    @Test func aLimitBelowZeroIsRefused() async throws {
        try await Engine.forEach(indexes: [FieldIndex("EngineCounter", by: "count")]) { engine in
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

    /// A scope or a transaction cannot answer for a batch of its caller, whatever its database keeps.
    @Test func scopesAndTransactionsTakeNoIdentifiersOfBatches() async throws {
        var named = RecordBatch(saving: [try Record(id: Record.ID(type: "EngineCounter", name: "1"), fields: [:])])
        named.id = RecordBatch.makeID()
        let batch = named
        try await Engine.forEach { engine in
            let store = RecordStore(engine.database)
            let scope = try store.scoped(for: "ann") { $0.ruleOfAllTypes(.not(.exists("isHidden"))) }
            let inScope = await #expect(throws: RecordDatabaseError.self, "\(engine.name)") {
                _ = try await scope.database.commit(batch)
            }
            #expect(inScope?.code == .unsupported, "\(engine.name)")
            let inTransaction = await #expect(throws: RecordDatabaseError.self, "\(engine.name)") {
                try await store.transaction { _ = try await $0.database.commit(batch) }
            }
            #expect(inTransaction?.code == .unsupported, "\(engine.name)")
            #expect(try await engine.database.records(for: batch.saves.map(\.id)).isEmpty, "\(engine.name)")
        }
    }

    @Test(arguments: [true, false]) func integersBeyondInt64AreFoundInOrder(_ hasIndex: Bool) async throws {
        let counts = [UInt64(1), UInt64(Int64.max), 1 << 63, 1 << 63 + 1, .max - 1, .max]
        try await Engine.forEach(indexes: hasIndex ? [FieldIndex("EngineCounter", by: "count")] : []) { engine in
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
        try await Engine.forEach(indexes: [FieldIndex("A", by: "n")]) { engine in
            let database = engine.database
            let kept = try Flat.record("A/kept", ["n": 1, "to": Flat.reference("A/x")])
            try await database.commit(RecordBatch(saving: [try nested(1_000), kept], savePolicy: .overwrite))
            let (before, token) = (try await database.allRecords, try await database.changeToken())
            for others in [[], [try Flat.record("A/other", ["n": 2])]] {
                let batch = RecordBatch(
                    saving: others + [try nested(1_001)], deletingAnyVersionOf: [kept.id], savePolicy: .overwrite)
                let failure = await #expect(throws: RecordError.self, "\(engine.name)") {
                    try await database.commit(batch)
                }
                #expect(failure?.code == .depthLimitExceeded && failure?.limit == 1_000, "\(engine.name)")
            }
            #expect(try await database.allRecords == before, "\(engine.name)")
            #expect(try await database.changeToken() == token, "\(engine.name)")
        }
    }
}
