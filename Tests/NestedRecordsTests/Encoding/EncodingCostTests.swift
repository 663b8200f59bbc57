import NestedRecords
import TestSupport
import Testing

/// What grows with the square of the size would make a large value unusable.
@Suite(.timeLimit(.minutes(10))) struct EncodingCostTests {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// Asks twice for the nested container of every key.
    struct Table: RecordEncodable {
        static var recordType: String { "Table" }
        var recordName: String { "table" }
        var rows: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for column in ["a", "b"] {
                for row in 0..<rows {
                    var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("\(row)"))
                    try nested.encode(row, forKey: Key(column))
                }
            }
        }
    }

    private func duration(rows: Int) throws -> Duration {
        var best = Duration.seconds(60)
        for _ in 0..<3 {
            var count = 0
            best = min(best, try threadTime { count = try RecordEncoder().encode(Table(rows: rows)).count })
            #expect(count == 1)
        }
        return best
    }

    @Test func nestedContainersAreFoundWithoutLookingThroughAllOfThem() throws {
        // Eight times as many take eight times as long, not 64 times.
        #expect(try duration(rows: 4_000) < duration(rows: 500) * 24)
    }
}
