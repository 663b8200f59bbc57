import NestedRecords
import Testing

/// Calls of the coders from what the coders ask of types: names, keys, and the ends of objects.
@Suite(.timeLimit(.minutes(60))) struct CallsInHooksReuseTests {
    @TaskLocal static var isInside = false

    struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: Int
        var texts = ["a": ["b"]]
    }

    /// Takes a value through both coders, unless that is being done.
    static func call() {
        guard !isInside else { return }
        $isInside.withValue(true) {
            #expect(throws: Never.self) {
                for value in [1, 2] {
                    let leaf = Leaf(id: value)
                    let graph = try RecordEncoder().encode(leaf)
                    #expect(graph.lines == ["Leaf/\(value) {id: \(value), texts: {a: [\"b\"]}}"])
                    #expect(try RecordDecoder().decode(Leaf.self, from: graph) == leaf)
                }
                let curious = try RecordEncoder().encode(Curious(id: 7))
                #expect(curious.lines.count == 3)
                #expect(try RecordDecoder().decode(Curious.self, from: curious) == Curious(id: 7))
            }
        }
    }

    /// Makes a call wherever it is asked for something.
    struct Curious: RecordCodable, Equatable {
        static var recordType: String {
            call()
            return "Curious"
        }
        static var schema: RecordSchema {
            call()
            return RecordSchema(ignoring: ["ignored"], locations: ["place"])
        }
        var recordName: String {
            CallsInHooksReuseTests.call()
            return "\(id)"
        }

        var id: Int
        var place = "1.0;2.0"
        var ignored: Int?
        var leaves = [Leaf(id: 1), Leaf(id: 2)]
        var entries = [Key(number: 2): 1, Key(number: 1): 2]

        enum CodingKeys: CodingKey {
            case id, place, ignored, leaves, entries

            private static let names = ["id", "place", "ignored", "leaves", "entries"]
            private static let all = [Self.id, .place, .ignored, .leaves, .entries]

            var stringValue: String {
                call()
                return Self.all.firstIndex(of: self).map { Self.names[$0] } ?? ""
            }

            init?(stringValue: String) {
                call()
                guard let position = Self.names.firstIndex(of: stringValue) else { return nil }
                self = Self.all[position]
            }

            var intValue: Int? { nil }
            init?(intValue: Int) { nil }
        }

        struct Key: Hashable, Codable {
            var number: Int
            func hash(into hasher: inout Hasher) {
                call()
                hasher.combine(number)
            }
        }

        static func call() { CallsInHooksReuseTests.call() }
    }

    @Test func callsInHooksDisturbNothing() throws {
        let lines = [
            #"Leaf/1 {id: 1, texts: {a: ["b"]}}"#, #"Leaf/2 {id: 2, texts: {a: ["b"]}}"#,
            "Curious/1 {id: 1, place: 1.0;2.0, leaves: [→ Leaf/1, → Leaf/2], "
                + "entries: [{number: 1}, 2, {number: 2}, 1]}",
        ]
        for _ in 0..<3 {
            let graph = try RecordEncoder().encode(Curious(id: 1))
            #expect(graph.lines == lines)
            #expect(try RecordDecoder().decode(Curious.self, from: graph) == Curious(id: 1))
        }
    }

    /// Makes a call at its end.
    final class Node: RecordCodable, Sendable {
        static var recordType: String { "Node" }
        let id: Int
        var recordName: String { "\(id)" }
        enum CodingKeys: CodingKey { case id }
        init(id: Int) { self.id = id }
        deinit { CallsInHooksReuseTests.call() }
    }

    /// A key that holds such an object.
    struct ObjectKey: CodingKey {
        var node = Node(id: 9)
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes and decodes objects that nobody holds but the coder.
    struct Root: RecordCodable {
        static var recordType: String { "Root" }
        var recordName: String { "r" }
        var fails = false

        enum CodingKeys: CodingKey { case nodes, same }

        init(fails: Bool) { self.fails = fails }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            #expect(try container.decode([Node].self, forKey: .nodes).map(\.id) == [1, 2])
            let keyed = try decoder.container(keyedBy: ObjectKey.self)
            fails = try keyed.decode(Bool.self, forKey: ObjectKey(stringValue: "fails"))
            if fails { throw CancellationError() }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode([Node(id: 1), Node(id: 2)], forKey: .nodes)
            var keyed = encoder.container(keyedBy: ObjectKey.self)
            try keyed.encode(fails, forKey: ObjectKey(stringValue: "fails"))
            if fails { throw CancellationError() }
        }
    }

    /// The same with nothing but one container of one type of keys.
    struct Plain: RecordCodable {
        static var recordType: String { "Plain" }
        var recordName: String { "p" }
        enum CodingKeys: CodingKey { case nodes }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            #expect(try container.decode([Node].self, forKey: .nodes).map(\.id) == [1, 2])
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode([Node(id: 1), Node(id: 2)], forKey: .nodes)
        }
    }

    @Test func objectsOfAnOrdinaryCallMayMakeCallsAtTheirEnd() throws {
        for _ in 0..<5 {
            let graph = try RecordEncoder().encode(Plain())
            #expect(graph.lines == ["Node/1 {id: 1}", "Node/2 {id: 2}", "Plain/p {nodes: [→ Node/1, → Node/2]}"])
            _ = try RecordDecoder().decode(Plain.self, from: graph)
        }
    }

    @Test func objectsThatOnlyTheCodersHeldMayMakeCallsAtTheirEnd() throws {
        let lines = ["Node/1 {id: 1}", "Node/2 {id: 2}", "Root/r {nodes: [→ Node/1, → Node/2], fails: false}"]
        for _ in 0..<3 {
            var graph = try RecordEncoder().encode(Root(fails: false))
            #expect(graph.lines == lines)
            #expect(try RecordDecoder().decode(Root.self, from: graph).fails == false)
            #expect(throws: CancellationError.self) { try RecordEncoder().encode(Root(fails: true)) }
            var records = Array(graph)
            records[2]["fails"] = .bool(true)
            graph = try RecordGraph(records, roots: graph.roots)
            #expect(throws: CancellationError.self) { try RecordDecoder().decode(Root.self, from: graph) }
        }
    }
}
