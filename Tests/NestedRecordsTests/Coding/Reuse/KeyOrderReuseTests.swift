import NestedRecords
import TestSupport
import Testing

/// Types whose keys come in another order, or are others, from value to value and from call to call.
@Suite(.timeLimit(.minutes(60))) struct KeyOrderReuseTests {
    enum Keys: Int, CodingKey, CaseIterable {
        case a, b, c, d, e, f, g, h

        var stringValue: String { "\("abcdefgh".map(String.init)[rawValue])" }
        init?(stringValue: String) {
            guard let key = Self.allCases.first(where: { $0.stringValue == stringValue }) else { return nil }
            self = key
        }
        var intValue: Int? { nil }
        init?(intValue: Int) { nil }
    }

    enum OtherKeys: String, CodingKey { case a, b, first = "c", x }

    /// Writes the given keys, in their order.
    struct Mixed: RecordCodable, Identifiable, Equatable {
        var id: String
        var order: [Keys]

        init(id: String, order: [Keys]) { (self.id, self.order) = (id, order) }

        init(from decoder: any Decoder) throws {
            id = (decoder.userInfo[.recordID] as? Record.ID)?.name ?? ""
            let container = try decoder.container(keyedBy: Keys.self)
            order = container.allKeys
            // The values tell which key they were written for, in whatever order they are read.
            for key in Keys.allCases.reversed() {
                let number = try container.decodeIfPresent(Int.self, forKey: key)
                guard number == (order.contains(key) ? key.rawValue : nil) else {
                    let context = DecodingError.Context(codingPath: [key], debugDescription: "\(number ?? -1)")
                    throw DecodingError.dataCorrupted(context)
                }
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            for key in order { try container.encode(key.rawValue, forKey: key) }
        }

        var line: String {
            "Mixed/\(id) {\(order.map { "\($0.stringValue): \($0.rawValue)" }.joined(separator: ", "))}"
        }
    }

    @Test func keysInEverNewOrderKeepTheirValues() throws {
        var random = SplitMix64(seed: 7)
        for number in 0..<400 {
            let values = (0..<(number % 4)).map { id in
                let order = Keys.allCases.shuffled(using: &random)
                return Mixed(id: "\(id)", order: Array(order.prefix(Int.random(in: 0...8, using: &random))))
            }
            let graph = try RecordEncoder().encode(values)
            #expect(graph.lines == values.map(\.line))
            #expect(try RecordDecoder().decodeAll(Mixed.self, from: graph) == values)
        }
    }

    /// Writes through two types of keys in turn.
    struct TwoTypes: RecordEncodable {
        static var recordType: String { "TwoTypes" }
        var recordName: String { "t" }
        var swaps: Bool

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var other = encoder.container(keyedBy: OtherKeys.self)
            if swaps { try other.encode(2, forKey: .first) }
            try container.encode(1, forKey: .b)
            if !swaps { try other.encode(2, forKey: .first) }
            try container.encode(3, forKey: .a)
            try other.encode(4, forKey: .x)
        }
    }

    @Test func keysOfTwoTypesKeepTheirFields() throws {
        for swaps in [false, true, true, false, true, false] {
            #expect(
                try RecordEncoder().encode(TwoTypes(swaps: swaps)).lines
                    == ["TwoTypes/t {\(swaps ? "c: 2, b: 1" : "b: 1, c: 2"), a: 3, x: 4}"])
        }
    }

    /// A key for each byte, of which a few are used.
    struct Byte: CodingKey {
        let byte: UInt8
        var stringValue: String { "b\(byte)" }
        var intValue: Int? { nil }
        init(_ byte: UInt8) { self.byte = byte }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    struct Many: RecordEncodable, Identifiable {
        var id: Int
        var order: [UInt8]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Byte.self)
            for byte in order { try container.encode(byte, forKey: Byte(byte)) }
        }
    }

    @Test func moreShapesThanAreRememberedAreStillRight() throws {
        var random = SplitMix64(seed: 11)
        let orders = (0..<Sweep.count(1_200, whole: 8_500)).map { _ in (0..<16).shuffled(using: &random).map(UInt8.init)
        }
        // A whole sweep has over 100,000 sequences of keys in all, some of them twice.
        for part in [
            orders[..<(orders.count / 2)], orders[(orders.count / 2)...], orders.suffix(10), orders.prefix(10),
        ] {
            let graph = try RecordEncoder().encode(part.enumerated().map { Many(id: $0, order: $1) })
            #expect(graph.count == part.count)
            for (record, order) in zip(graph, part) {
                guard record.fields.map(\.name) == order.map({ "b\($0)" }),
                    record.fields.map(\.value) == order.map({ .int(Int64($0)) })
                else {
                    Issue.record("\(record) of \(order)")
                    return
                }
            }
        }
        #expect(try RecordEncoder().encode(TwoTypes(swaps: true)).lines == ["TwoTypes/t {c: 2, b: 1, a: 3, x: 4}"])
    }
}
