import Foundation
import NestedRecords
import Testing

/// Calls of the coders from within `encode(to:)` and `init(from:)`, many levels of them.
@Suite(.timeLimit(.minutes(10))) struct CallsInsideCallsReuseTests {
    /// How the call inside is made.
    enum Way: CaseIterable {
        case same, otherThread, snakeCase, flattened, information, shallow, several, failing, decoding
    }

    struct Failure: Error {}

    static let information = CodingUserInfoKey(rawValue: "information")

    struct Part: Codable, Equatable {
        var firstValue: Int
        var secondValue: String
    }

    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    /// Encodes one of itself, or something else, while it is half written.
    struct Onion: RecordEncodable, Identifiable {
        var id: Int
        var ways: [Way]
        var encoder = RecordEncoder()
        var isSnakeCase = false

        var name: String { "level\(id)" }
        var part: Part { Part(firstValue: id, secondValue: name) }

        enum CodingKeys: CodingKey { case name, partBefore, partAfter, leaves, level }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(part, forKey: .partBefore)
            try container.encode([Leaf(id: id), Leaf(id: 0)], forKey: .leaves)
            var list = container.nestedUnkeyedContainer(forKey: .level)
            try list.encode(id)
            try CallsInsideCallsReuseTests.call(inside: self)
            try list.encode(id)
            try container.encode(part, forKey: .partAfter)
            if let key = CallsInsideCallsReuseTests.information {
                let information = encoder.userInfo[key] as? Int
                #expect(information == self.encoder.userInfo[key] as? Int)
            }
            #expect((encoder.userInfo[.recordID] as? Record.ID)?.name == "\(id)")
        }

        var lines: [String] {
            func field(_ name: String) -> String {
                let (prefix, rest) = name == "partBefore" ? ("part", "Before") : ("part", "After")
                let key = isSnakeCase ? "\(prefix)_\(rest.lowercased())" : name
                let (first, second) = isSnakeCase ? ("first_value", "second_value") : ("firstValue", "secondValue")
                return encoder.embeddingStrategy == .map
                    ? "\(key): {\(first): \(id), \(second): \"\(self.name)\"}"
                    : "\(key)_\(first): \(id), \(key)_\(second): \"\(self.name)\""
            }
            return [
                "Leaf/\(id) {id: \(id)}", "Leaf/0 {id: 0}",
                "Onion/\(id) {name: \"\(name)\", \(field("partBefore")), leaves: [→ Leaf/\(id), → Leaf/0], "
                    + "level: [\(id), \(id)], \(field("partAfter"))}",
            ]
        }
    }

    private static func call(inside onion: Onion) throws {
        guard let way = onion.ways.first else { return }
        var inner = Onion(id: onion.id + 1, ways: Array(onion.ways.dropFirst()))
        switch way {
        case .same: break
        case .otherThread:
            let lines = try inOtherThread { [inner] in try inner.encoder.encode(inner).lines }
            #expect(lines == inner.lines)
            return
        case .snakeCase:
            inner.encoder.keyStrategy = .snakeCase
            inner.isSnakeCase = true
        case .flattened: inner.encoder.embeddingStrategy = .flattened()
        case .information: if let key = information { inner.encoder.userInfo[key] = inner.id }
        case .shallow: inner.encoder.maximumDepth = 3
        case .several:
            var other = inner
            other.id += 100
            other.ways = []
            let graph = try inner.encoder.encode([inner, other, inner])
            #expect(graph.lines == inner.lines + [other.lines[0], other.lines[2]])
            return
        case .failing:
            #expect(throws: EncodingError.self) { try RecordEncoder().encode(FailedAfter(onion: inner)) }
            return
        case .decoding:
            let read = try RecordDecoder().decode(ReadOnion.self, from: RecordEncoder().encode(inner))
            #expect(
                read.name == inner.name && read.partAfter == inner.part
                    && read.leaves == [Leaf(id: inner.id), Leaf(id: 0)])
            return
        }
        #expect(try inner.encoder.encode(inner).lines == inner.lines)
    }

    struct FailedAfter: RecordEncodable {
        static var recordType: String { "FailedAfter" }
        var recordName: String { "x" }
        var onion: Onion
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(onion)
            throw Failure()
        }
    }

    /// Encodes and decodes another one while it is half read.
    struct ReadOnion: RecordDecodable {
        static var recordType: String { "Onion" }
        var recordName: String
        var name: String
        var partAfter: Part
        var leaves: [Leaf]

        init(from decoder: any Decoder) throws {
            recordName = (decoder.userInfo[.recordID] as? Record.ID)?.name ?? ""
            let container = try decoder.container(keyedBy: Onion.CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            let before = try container.decode(Part.self, forKey: .partBefore)
            var level = try container.nestedUnkeyedContainer(forKey: .level)
            let id = try level.decode(Int.self)
            if id < 15 {
                let onion = Onion(id: id + 1, ways: [])
                let graph = try RecordEncoder().encode(onion)
                #expect(graph.lines == onion.lines)
                let inner = try RecordDecoder().decode(ReadOnion.self, from: graph)
                #expect(inner.name == onion.name && inner.partAfter == onion.part)
            }
            leaves = try container.decode([Leaf].self, forKey: .leaves)
            #expect(try level.decode(Int.self) == id)
            partAfter = try container.decode(Part.self, forKey: .partAfter)
            #expect(partAfter == before)
        }
    }

    @Test(arguments: Way.allCases) func callsAreIndependent(way: Way) throws {
        let onion = Onion(id: 1, ways: [way, .same, way, way])
        for _ in 0..<3 { #expect(try RecordEncoder().encode(onion).lines == onion.lines) }
    }

    @Test func thirtyLevelsOfCallsAreIndependent() throws {
        let onion = Onion(id: 1, ways: (0..<30).map { Way.allCases[$0 % Way.allCases.count] })
        #expect(try RecordEncoder().encode(onion).lines == onion.lines)
        let plain = Onion(id: 1, ways: Array(repeating: .same, count: 30))
        #expect(try RecordEncoder().encode(plain).lines == plain.lines)
        #expect(try RecordEncoder().encode(onion).lines == onion.lines)
    }

    @Test func callsInsideOfDeepValuesAreIndependent() throws {
        struct Deep: Encodable {
            var depth: Int
            enum CodingKeys: CodingKey { case inner, after }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                if depth > 0 { try container.encode(Deep(depth: depth - 1), forKey: .inner) }
                if depth % 100 == 0 {
                    let onion = Onion(id: depth + 1, ways: [.same, .otherThread])
                    #expect(try RecordEncoder().encode(onion).lines == onion.lines)
                }
                try container.encode(depth, forKey: .after)
            }
        }
        struct Root: RecordEncodable, Identifiable {
            var id = 1
            var deep: Deep
        }
        let deep = (1...600).reduce("{after: 0}") { "{inner: \($0), after: \($1)}" }
        #expect(try RecordEncoder().encode(Root(deep: Deep(depth: 600))).lines == ["Root/1 {id: 1, deep: \(deep)}"])
    }
}
