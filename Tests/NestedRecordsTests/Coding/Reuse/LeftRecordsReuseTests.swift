import NestedRecords
import TestSupport
import Testing

/// What calls gave stays as it is, whatever is done with it and whatever calls follow.
@Suite(.timeLimit(.minutes(10))) struct LeftRecordsReuseTests {
    struct Item: RecordCodable, Identifiable, Equatable {
        var id: Int
        var texts: [String]
        var parts: [String: Part]
    }

    struct Part: Codable, Equatable {
        var number: Int
        var rest: [Int]
    }

    private func item(_ number: Int) -> Item {
        Item(
            id: number, texts: (0..<(number % 5)).map { "text \(number) \($0)" },
            parts: ["a": Part(number: number, rest: [number, number + 1]), "b": Part(number: -number, rest: [])])
    }

    private func line(_ number: Int) -> String {
        let texts = (0..<(number % 5)).map { "\"text \(number) \($0)\"" }.joined(separator: ", ")
        return "Item/\(number) {id: \(number), texts: [\(texts)], "
            + "parts: {a: {number: \(number), rest: [\(number), \(number + 1)]}, b: {number: \(-number), rest: []}}}"
    }

    @Test func graphsAndValuesOfManyCallsStayAsTheyAre() throws {
        var graphs: [RecordGraph] = []
        var items: [Item] = []
        var resolutions: [RecordDecoder.Resolution<Item>] = []
        for number in 0..<200 {
            graphs.append(try RecordEncoder().encode(item(number)))
            items.append(try RecordDecoder().decode(Item.self, from: graphs[number]))
            resolutions.append(try RecordDecoder().resolve(Item.self, from: graphs[number / 2]))
        }
        for number in 0..<200 {
            #expect(graphs[number].lines == [line(number)])
            #expect(items[number] == item(number))
            #expect(resolutions[number].graph.lines == [line(number / 2)])
            #expect(resolutions[number].value == item(number / 2))
        }
    }

    @Test func changedRecordsChangeNoOthers() throws {
        let graph = try RecordEncoder().encode((0..<4).map(item))
        var records = Array(graph)
        for position in records.indices {
            records[position]["new\(position)"] = .null
            records[position]["texts"] = nil
            // The order of the fields is another one now.
            let texts = graph[position]["texts"]
            records[position]["texts"] = texts
        }
        let changed = try RecordGraph(records)
        for number in 0..<4 {
            #expect(try RecordDecoder().decode(Item.self, from: changed, root: records[number].id) == item(number))
            #expect(try RecordDecoder().decode(Item.self, from: graph, root: records[number].id) == item(number))
            #expect(records[number].fields.map(\.name) == ["id", "parts", "new\(number)", "texts"])
        }
        #expect(graph.lines == (0..<4).map(line))
        #expect(try RecordEncoder().encode((0..<4).map(item)).lines == (0..<4).map(line))
    }

    @Test func fieldsInAnyOrderAreReadByTheirNames() throws {
        // Ever new storage of names, for more shapes than a decoder remembers.
        var random = SplitMix64(seed: 3)
        for number in 0..<1_300 {
            var pairs = try #require(try RecordEncoder().encode(item(number)).first).fields.map { ($0.name, $0.value) }
            pairs.append(("extra\(number % 7)", .int(0)))
            pairs.shuffle(using: &random)
            let record = try Flat.record("Item/\(number)", Record.Fields(pairs))
            #expect(try RecordDecoder().decode(Item.self, from: RecordGraph([record])) == item(number))
        }
    }
}
