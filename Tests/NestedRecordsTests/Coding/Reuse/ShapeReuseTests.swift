import NestedRecords
import Testing

/// Values of other sizes and shapes than those before.
@Suite(.timeLimit(.minutes(10))) struct ShapeReuseTests {
    struct Chain: RecordCodable, Identifiable {
        var id: Int
        var next: [Chain]

        static func long(_ count: Int) -> Chain {
            (1..<count).reduce(Chain(id: count, next: [])) { Chain(id: count - $1, next: [$0]) }
        }

        static func lines(_ count: Int) -> [String] {
            ["Chain/\(count) {id: \(count), next: []}"]
                + (1..<count).reversed().map { "Chain/\($0) {id: \($0), next: [→ Chain/\($0 + 1)]}" }
        }
    }

    /// Writes and reads as many fields as it is told.
    struct Wide: RecordCodable {
        static var recordType: String { "Wide" }
        var recordName: String { "w" }
        var numbers: [String: Int]
        var order: [String]

        init(_ names: [String], from start: Int) {
            order = names
            numbers = Dictionary(uniqueKeysWithValues: zip(names, start...))
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: FreeKey.self)
            order = container.allKeys.map(\.stringValue)
            numbers = [:]
            for key in container.allKeys { numbers[key.stringValue] = try container.decode(Int.self, forKey: key) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: FreeKey.self)
            for name in order { try container.encode(numbers[name], forKey: FreeKey(name)) }
        }

        var line: String { "Wide/w {\(order.map { "\($0): \(numbers[$0] ?? -1)" }.joined(separator: ", "))}" }
    }

    private func check(_ wide: Wide) throws {
        let graph = try RecordEncoder().encode(wide)
        #expect(graph.lines == [wide.line])
        let read = try RecordDecoder().decode(Wide.self, from: graph)
        #expect(read.order == wide.order && read.numbers == wide.numbers)
    }

    private func check(chainOf count: Int) throws {
        let graph = try RecordEncoder().encode(Chain.long(count))
        #expect(graph.lines == Chain.lines(count))
        var chain = try RecordDecoder().decode(Chain.self, from: graph)
        for id in 1..<count {
            #expect(chain.id == id)
            chain = try #require(chain.next.first)
        }
        #expect(chain.id == count && chain.next.isEmpty)
    }

    @Test func deepAndShallowTakeTurns() throws {
        for count in [1, 450, 1, 2, 40, 1, 450, 3] { try check(chainOf: count) }
    }

    @Test func wideAndNarrowTakeTurns() throws {
        for (turn, count) in [1, 300, 0, 2, 17, 16, 300, 65, 1, 64].enumerated() {
            let names = (0..<count).map { "field\($0)" }
            try check(Wide(names, from: turn * 1_000))
            try check(Wide(names.reversed(), from: turn))
        }
    }

    @Test func manyAndFewTakeTurns() throws {
        struct Leaf: RecordCodable, Identifiable { var id: Int }
        for count in [1, 3_000, 1, 0, 700, 2] {
            let graph = try RecordEncoder().encode((0..<count).map { Leaf(id: $0 + count) })
            #expect(graph.lines == (0..<count).map { "Leaf/\($0 + count) {id: \($0 + count)}" })
            #expect(try RecordDecoder().decodeAll(Leaf.self, from: graph).map(\.id) == Array(count..<(2 * count)))
        }
    }

    @Test func recordsOfEarlierCallsStayAsTheyAre() throws {
        // Records of one shape share the storage of their names.
        var graphs: [[Record]] = []
        for number in 0..<10 {
            let wide = Wide(["b", "a", "c"], from: number)
            graphs.append(Array(try RecordEncoder().encode([wide])))
            graphs[number][0]["d\(number)"] = .int(Int64(number))
            graphs[number][0]["a"] = nil
        }
        for (number, records) in graphs.enumerated() {
            #expect(records[0].line == "Wide/w {b: \(number), c: \(number + 2), d\(number): \(number)}")
        }
    }
}
