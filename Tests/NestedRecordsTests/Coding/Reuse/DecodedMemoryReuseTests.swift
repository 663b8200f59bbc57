import Foundation
import NestedRecords
import TestSupport
import Testing

/// When a call is over, the decoder holds nothing of the records, nor of what it made of them.
@Suite(.timeLimit(.minutes(10))) struct DecodedMemoryReuseTests {
    typealias Token = HeldToken

    /// The objects that are alive, by the test that they belong to.
    final class Tally: Sendable {
        private let count = Locked(0)
        var alive: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
        @TaskLocal static var current = Tally()
    }

    final class Node: RecordDecodable, Sendable {
        static var recordType: String { "Node" }
        let recordName: String
        let tally = Tally.current
        let peers: [Node]

        enum CodingKeys: CodingKey { case name, peers }

        init(from decoder: any Decoder) throws {
            tally.add(1)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            recordName = try container.decode(String.self, forKey: .name)
            // Made, and dropped: nobody but the decoder holds it.
            _ = try container.decodeIfPresent([Node].self, forKey: .peers)
            peers = recordName == "b" ? try container.decode([Node].self, forKey: .peers) : []
        }

        deinit { tally.add(-1) }
    }

    /// A struct that is met often, so that it is kept to be used again.
    struct Twin: RecordDecodable {
        static var recordType: String { "Twin" }
        var recordName: String { "t" }
        var node: Object
    }

    final class Object: Decodable, Sendable {
        let tally = Tally.current
        let number: Int
        init(from decoder: any Decoder) throws {
            tally.add(1)
            number = try decoder.singleValueContainer().decode(Int.self)
        }
        deinit { tally.add(-1) }
    }

    struct Root: RecordDecodable {
        static var recordType: String { "Root" }
        var recordName: String { "r" }
        var nodes: [Node]
        var twins: [Twin]
        var data: Data?
        var part: Part?
        var more: Int?
    }

    struct Part: Decodable {
        var data: Data
    }

    private func graph(isBroken: Bool, isEmbedded: Bool = false, data: Data = Data([1])) throws -> RecordGraph {
        var root = try Flat.record(
            "Root/r",
            [
                "nodes": .list([Flat.reference("Node/a"), Flat.reference("Node/b"), Flat.reference("Node/a")]),
                "twins": Flat.references(["Twin/t", "Twin/t", "Twin/t", "Twin/t"]),
                "more": isBroken ? .string("broken") : .int(1),
            ])
        root[isEmbedded ? "part" : "data"] = isEmbedded ? .map(["data": .bytes(data)]) : .bytes(data)
        return try RecordGraph(
            [
                root, Flat.record("Node/a", ["name": .string("a"), "peers": .list([])]),
                Flat.record("Node/b", ["name": .string("b"), "peers": Flat.references(["Node/a", "Node/c"])]),
                Flat.record("Node/c", ["name": .string("c")]), Flat.record("Twin/t", ["node": .int(1)]),
            ], roots: [root.id])
    }

    @Test(arguments: [false, true]) func objectsGoWithTheValueThatHoldsThem(isBroken: Bool) throws {
        let graph = try graph(isBroken: isBroken)
        for _ in 0..<3 {
            let tally = Tally()
            try Tally.$current.withValue(tally) {
                let root = Result { try RecordDecoder().decode(Root.self, from: graph) }
                if isBroken {
                    #expect(throws: DecodingError.self) { try root.get() }
                } else {
                    let root = try root.get()
                    #expect(root.nodes.map(\.recordName) == ["a", "b", "a"])
                    #expect(root.nodes[0] === root.nodes[2] && root.nodes[1].peers[0] === root.nodes[0])
                    #expect(root.twins.map(\.node.number) == [1, 1, 1, 1])
                    #expect(tally.alive >= 4)
                }
            }
            #expect(tally.alive == 0)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func recordsGoWithTheirGraph(isBroken: Bool, isEmbedded: Bool) throws {
        for _ in 0..<3 {
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                let graph = try graph(isBroken: isBroken, isEmbedded: isEmbedded, data: .holding(strong))
                let root = try? RecordDecoder().decode(Root.self, from: graph)
                #expect((isEmbedded ? root?.part?.data : root?.data)?.count == (isBroken ? nil : 100_000))
                #expect(token != nil)
            }
            #expect(token == nil)
        }
    }

    @Test func recordsOfADatabaseGoWithTheResolution() async throws {
        for isBroken in [false, true, false] {
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                let graph = try graph(isBroken: isBroken, data: .holding(strong))
                let database = try await CountingDatabase(holding: graph)
                let root = try? await RecordDecoder().resolve(Root.self, from: graph.roots[0], in: database).value
                #expect(root?.nodes.count == (isBroken ? nil : 3))
            }
            #expect(token == nil)
        }
    }

    struct Key: CodingKey {
        @TaskLocal static var token: Token?
        var token = Self.token
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    struct Keyed: RecordDecodable {
        @TaskLocal static var asksForSuper = false
        static var recordType: String { "Root" }
        var recordName: String { "r" }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys where key.stringValue != "nodes" {
                _ = try? container.decode([[Int]].self, forKey: key)
                if Self.asksForSuper { _ = try? container.superDecoder(forKey: key) }
            }
        }
    }

    @Test(arguments: [false, true]) func keysGoWithTheCall(asksForSuper: Bool) throws {
        let graph = try graph(isBroken: false)
        for _ in 0..<3 {
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                try Keyed.$asksForSuper.withValue(asksForSuper) {
                    try Key.$token.withValue(strong) { _ = try RecordDecoder().decode(Keyed.self, from: graph) }
                }
            }
            #expect(token == nil)
        }
    }
}
