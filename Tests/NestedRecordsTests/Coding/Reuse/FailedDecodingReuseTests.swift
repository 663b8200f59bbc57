import NestedRecords
import TestSupport
import Testing

/// A call that fails half-way leaves nothing to the next ones.
@Suite(.timeLimit(.minutes(10))) struct FailedDecodingReuseTests {
    enum Fault: String, CaseIterable {
        case none, firstField, missingField, list, dictionary, leafField, leafMissing, secondLeaf, wrongType, ring
        case identity, user, tooDeep, swallowed, deep
    }

    struct Failure: Error {}

    struct Leaf: RecordDecodable, Identifiable {
        var id: String
        var number: Int
    }

    struct Fussy: Decodable {
        var text: String
        init(from decoder: any Decoder) throws {
            text = try decoder.container(keyedBy: FreeKey.self).decode(String.self, forKey: FreeKey("text"))
            if text == "throw" { throw Failure() }
        }
    }

    struct Deep: Decodable {
        var next: [Deep]?
        var depth: Int { (next?.first?.depth ?? 0) + 1 }
    }

    struct Faulty: RecordDecodable {
        static var recordType: String { "Faulty" }
        var recordName: String { name }
        var name: String
        var leaves: [Leaf]
        var list: [String: [Int]]
        var fussy: Fussy?
        var deep: Deep?
        var ring: [Faulty]

        enum CodingKeys: CodingKey { case name, leaves, list, fussy, deep, ring }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            leaves = try container.decode([Leaf].self, forKey: .leaves)
            list = try container.decode([String: [Int]].self, forKey: .list)
            fussy =
                name == "swallowed"
                ? try? container.decode(Fussy.self, forKey: .fussy)
                : try container.decodeIfPresent(Fussy.self, forKey: .fussy)
            deep = try container.decodeIfPresent(Deep.self, forKey: .deep)
            ring = try container.decodeIfPresent([Faulty].self, forKey: .ring) ?? []
        }

        var text: String {
            "\(name) \(leaves.map { "\($0.id)=\($0.number)" }) \(list.sorted { $0.key < $1.key }) "
                + "\(fussy?.text ?? "-") \(deep?.depth ?? 0) \(ring.count)"
        }
    }

    private static func graph(_ fault: Fault) throws -> RecordGraph {
        let ids = fault == .leafMissing ? ["Leaf/1", "Leaf/3"] : ["Leaf/1", "Leaf/2"]
        var root = try Flat.record(
            "Faulty/\(fault)",
            [
                "name": .string("\(fault)"), "leaves": try Flat.references(fault == .wrongType ? ["Other/1"] : ids),
                "list": .map(["b": .list([.int(1)]), "a": .list([.int(2), .int(3)])]),
                "fussy": .map(["text": .string("fine")]),
            ])
        var leaf = try Flat.record("Leaf/2", ["number": .int(2), "id": .string("2")])
        switch fault {
        case .none, .leafMissing, .wrongType: break
        case .firstField: root["name"] = .int(1)
        case .missingField: root["list"] = nil
        case .list: root["list"] = .map(["a": .list([.int(2), .string("x")])])
        case .dictionary: root["list"] = .map(["b": .list([]), "c": .bool(true)])
        case .leafField: leaf["number"] = .string("x")
        case .secondLeaf: leaf["id"] = nil
        case .ring: root["ring"] = try Flat.references(["Faulty/ring"])
        case .identity: root["name"] = .string("another")
        case .user, .swallowed: root["fussy"] = .map(["text": .string("throw")])
        case .tooDeep, .deep:
            let count = fault == .deep ? 400 : 1_200
            root["deep"] = (0..<count).reduce(.map([:])) { inner, _ in .map(["next": .list([inner])]) }
        }
        let other = try Flat.record("Other/1", ["id": .string("1")])
        let first = try Flat.record("Leaf/1", ["id": .string("1"), "number": .int(1)])
        return try RecordGraph([root, first, leaf, other], roots: [root.id])
    }

    private func outcome(_ fault: Fault, _ graph: RecordGraph? = nil) throws -> String {
        let graph = try graph ?? Self.graph(fault)
        do {
            return try RecordDecoder().decode(Faulty.self, from: graph).text
        } catch {
            return "\(error)"
        }
    }

    private func good(_ fault: Fault) -> String {
        "\(fault) \(["1=1", "2=2"]) \([(key: "a", value: [2, 3]), (key: "b", value: [1])]) "
            + "\(fault == .swallowed ? "-" : "fine") \(fault == .deep ? 401 : 0) 0"
    }

    @Test(arguments: Fault.allCases) func outcomesAreTheSameAfterWhateverFailed(fault: Fault) throws {
        let own = try outcome(fault)
        #expect((own == good(fault)) == [.none, .swallowed, .deep].contains(fault))
        for other in Fault.allCases where ![.tooDeep, .deep].contains(other) {
            let fresh = try outcome(other)
            #expect(try outcome(fault) == own)
            #expect(try outcome(other) == fresh)
            #expect(try outcome(.none) == good(.none))
        }
    }

    /// The same graph, so that records, names and addresses are those of the call that failed.
    @Test(arguments: Fault.allCases) func oneGraphGivesTheSameOutcomeAgain(fault: Fault) throws {
        let graph = try Self.graph(fault)
        let fresh = try outcome(fault, graph)
        for _ in 0..<3 { #expect(try outcome(fault, graph) == fresh) }
    }

    @Test(arguments: [Fault.leafField, .secondLeaf]) func recordThatWasPutRightIsRead(fault: Fault) throws {
        let graph = try Self.graph(fault)
        let right = try #require(Self.graph(.none)[Record.ID("Leaf/2")])
        let repaired = try RecordGraph(graph.map { $0.id == right.id ? right : $0 }, roots: graph.roots)
        for _ in 0..<3 {
            #expect(try outcome(fault, graph) != good(fault))
            #expect(try outcome(fault, repaired) == good(fault))
        }
    }

    @Test func failuresTellTheirOwnPlace() throws {
        #expect(try outcome(.leafMissing).contains("there is no record Leaf/3, which is referred to at 'leaves[1]'"))
        #expect(try outcome(.leafField).contains("in record Leaf/2, field 'number'"))
        #expect(try outcome(.ring).contains("records contain each other"))
        #expect(
            try outcome(.identity).contains("decoded identity Faulty/another does not match record Faulty/identity"))
        #expect(try outcome(.wrongType).contains("the record Other/1 is not of the type Leaf"))
    }
}
