import NestedRecords
import TestSupport
import Testing

/// A type that tries both ways to a record with a ring does not try all ways to it.
@Suite(.timeLimit(.minutes(10))) struct RingedDiamondTests {
    final class Counter: Sendable {
        let count = Locked(0)
    }

    struct NoWay: Error {}

    static var counterKey: CodingUserInfoKey { .init(rawValue: "counter").unsafelyUnwrapped }

    struct Node: RecordDecodable, Identifiable {
        enum CodingKeys: CodingKey { case id, left, right }
        var id: Int

        init(from decoder: any Decoder) throws {
            (decoder.userInfo[counterKey] as? Counter)?.count.withLock { $0 += 1 }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            if (try? container.decode(Node.self, forKey: .left)) != nil { return }
            if (try? container.decode(Node.self, forKey: .right)) != nil { return }
            throw NoWay()
        }
    }

    @Test func recordsBeforeARingAreDecodedOnce() throws {
        let last = 12
        let records = try (0...last).map { number in
            let next = try Flat.reference("Node/\(min(number + 1, last))")
            return try Flat.record("Node/\(number)", ["id": .int(Int64(number)), "left": next, "right": next])
        }
        let counter = Counter()
        var decoder = RecordDecoder()
        decoder.userInfo[Self.counterKey] = counter
        #expect(throws: DecodingError.self) {
            try decoder.decode(Node.self, from: RecordGraph(records), root: Record.ID("Node/0"))
        }
        #expect(counter.count.withLock { $0 } <= 2 * (last + 1))
    }
}
