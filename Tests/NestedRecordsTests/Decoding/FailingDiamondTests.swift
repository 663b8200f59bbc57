import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FailingDiamondTests {
    final class Counter: Sendable {
        let attempts = Locked(0)
    }

    /// Needs one of its two parts; both are the same record, and the innermost has none.
    final class Part: RecordDecodable, Identifiable {
        struct Missing: Error {}
        static let counter = CodingUserInfoKey(rawValue: "counter") ?? .recordID

        let id: Int
        enum CodingKeys: CodingKey { case id, left, right }

        init(from decoder: any Decoder) throws {
            (decoder.userInfo[Self.counter] as? Counter)?.attempts.withLock { $0 += 1 }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            let left = try? container.decode(Part.self, forKey: .left)
            let right = try? container.decode(Part.self, forKey: .right)
            if left == nil, right == nil { throw Missing() }
        }
    }

    @Test func recordThatFailsIsNotTriedOverAndOver() throws {
        let levels = 12
        let records = try (0...levels).map { level in
            let below: Record.Value = level == 0 ? .null : try Flat.reference("Part/\(level - 1)")
            return try Flat.record("Part/\(level)", ["id": .int(Int64(level)), "left": below, "right": below])
        }
        let counter = Counter()
        var decoder = RecordDecoder()
        decoder.userInfo = [Part.counter: counter]
        #expect(throws: DecodingError.self) { try decoder.decode(Part.self, from: RecordGraph(records)) }
        #expect(counter.attempts.withLock { $0 } <= 2 * (levels + 1))
    }
}
