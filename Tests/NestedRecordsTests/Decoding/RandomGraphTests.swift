import NestedRecords
import TestSupport
import Testing

/// Graphs of random shape, some of whose records are missing, from a database and from memory.
@Suite(.timeLimit(.minutes(60))) struct RandomGraphTests {
    struct Even: RecordDecodable, Identifiable, Equatable {
        var id: Int
        var next: [Even]?
        var other: Odd?
        var byName: [String: Odd]?
    }

    final class Odd: RecordDecodable, Identifiable, Equatable {
        let id: Int
        let next: [Odd]?
        let other: Even?
        let byName: [String: Even]?

        static func == (left: Odd, right: Odd) -> Bool {
            left.id == right.id && left.next == right.next && left.other == right.other && left.byName == right.byName
        }
    }

    /// Records that point to those before them, and how many references the farthest is away from the last one.
    private func makeRecords(_ generator: inout some RandomNumberGenerator) throws -> [Record] {
        let count = Int.random(in: 1...12, using: &generator)
        return try (0..<count).map { id in
            func targets(_ type: String) -> [String] {
                (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
                    let target = (0..<id).randomElement(using: &generator)
                    return target.map { "\(type)/\($0)" }
                }
            }
            let (same, another) = id.isMultiple(of: 2) ? ("Even", "Odd") : ("Odd", "Even")
            var fields: Record.Fields = ["id": .int(Int64(id))]
            func only(_ type: String) -> [String] {
                targets(type).filter { Int($0.split(separator: "/")[1])?.isMultiple(of: 2) == (type == "Even") }
            }
            fields["next"] = try Flat.references(only(same))
            if let other = only(another).first { fields["other"] = try Flat.reference(other) }
            if let other = only(another).first { fields["byName"] = .map(["k": try Flat.reference(other)]) }
            fields["unknown"] = try Flat.references(targets("Nobody"))
            return try Flat.record("\(same)/\(id)", fields)
        }
    }

    @Test(arguments: 0..<150) func databaseAndMemoryGiveTheSameValue(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        var records = try makeRecords(&generator)
        let root = try #require(records.last)
        if records.count > 3, seed.isMultiple(of: 3) {
            records.remove(at: Int.random(in: 0..<records.count - 1, using: &generator))
        }
        let limit = Int.random(in: 1...4, using: &generator)
        let database = try await CountingDatabase(holding: records.shuffled(using: &generator), batchLimit: limit)
        let graph = try RecordGraph(records, roots: [root.id])
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        if root.id.type == "Even" {
            try await compare(Even.self, root.id, decoder, graph, database)
        } else {
            try await compare(Odd.self, root.id, decoder, graph, database)
        }
    }

    private func compare<Root: RecordDecodable & Equatable>(
        _ type: Root.Type, _ id: Record.ID, _ decoder: RecordDecoder, _ graph: RecordGraph, _ database: CountingDatabase
    ) async throws {
        let expected = try decoder.resolve(type, from: graph, root: id)
        for _ in 1...2 {
            let found = try await decoder.resolve(type, from: id, in: database)
            #expect(found.value == expected.value)
            #expect(found.dropped.map(\.context.steps) == expected.dropped.map(\.context.steps))
            #expect(Set(database.asked).count == database.asked.count)
            #expect(!database.asked.contains { $0.hasPrefix("Nobody") })
            #expect(found.callCount == database.calls.count)
            database.forgetCalls()
        }
    }
}
