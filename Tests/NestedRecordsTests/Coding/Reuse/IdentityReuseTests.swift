import NestedRecords
import Testing

/// Which values are the same record is found out again in every call.
@Suite(.timeLimit(.minutes(60))) struct IdentityReuseTests {
    final class Node: RecordCodable {
        static var recordType: String { "Node" }
        var recordName: String { name }
        let name: String
        var number: Int
        var next: Node?
        init(_ name: String, _ number: Int, next: Node? = nil) {
            (self.name, self.number, self.next) = (name, number, next)
        }
    }

    /// A struct whose bytes stay the same when its content changes.
    struct Boxed: RecordCodable {
        final class Box: Codable {
            var text: String
            init(_ text: String) { self.text = text }
        }
        static var recordType: String { "Boxed" }
        var recordName: String { "b" }
        var box: Box
    }

    private func message(_ encode: () throws -> RecordGraph) -> String {
        do { return try encode().lines.joined(separator: "; ") } catch { return "\(error)" }
    }

    @Test func changedObjectsAreEncodedAsTheyAreNow() throws {
        let end = Node("end", 0)
        let node = Node("n", 0, next: end)
        for number in 0..<20 {
            node.number = number
            end.number = -number
            #expect(
                try RecordEncoder().encode([node, node]).lines == [
                    #"Node/end {name: "end", number: \#(-number)}"#,
                    #"Node/n {name: "n", number: \#(number), next: → Node/end}"#,
                ])
            node.next = number.isMultiple(of: 2) ? end : Node("end", -number - 1)
        }
    }

    @Test func objectAtTheAddressOfAFormerOneIsAnotherOne() throws {
        for number in 0..<500 {
            let graph = try RecordEncoder().encode(Node("n", number))
            #expect(graph.lines == [#"Node/n {name: "n", number: \#(number)}"#])
            #expect(try RecordDecoder().decode(Node.self, from: graph).number == number)
        }
    }

    @Test func copiesThatWereEqualAreComparedAgain() throws {
        let (left, right) = (Boxed.Box("same"), Boxed.Box("same"))
        let values = [Boxed(box: left), Boxed(box: right), Boxed(box: right)]
        let same = #"Boxed/b {box: {text: "same"}}"#
        let conflict = "two values with the ID Boxed/b differ in field 'box'"
        for _ in 0..<3 {
            #expect(message { try RecordEncoder().encode(values) } == same)
            right.text = "other"
            #expect(message { try RecordEncoder().encode(values) }.hasPrefix(conflict))
            left.text = "other"
            #expect(message { try RecordEncoder().encode(values) } == #"Boxed/b {box: {text: "other"}}"#)
            (left.text, right.text) = ("same", "same")
        }
    }

    struct Item: RecordCodable, Identifiable, Equatable {
        var id: Int
        var text: String
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "r" }
        var first: Item
        var second: [Item]
    }

    @Test func identitiesOfOneCallAreNotAConflictInAnother() throws {
        for text in ["a", "b", "c"] {
            let lines = [#"Item/1 {id: 1, text: "\#(text)"}"#, "Root/r {first: → Item/1, second: [→ Item/1]}"]
            let item = Item(id: 1, text: text)
            #expect(try RecordEncoder().encode(Root(first: item, second: [item])).lines == lines)
            let conflict = message { try RecordEncoder().encode(Root(first: item, second: [Item(id: 1, text: "x")])) }
            #expect(
                conflict == "two values with the ID Item/1 differ in field 'text': "
                    + "one is at 'first', the other at 'second[0]'")
            let other = message { try RecordEncoder().encode([Item(id: 2, text: text), Item(id: 2, text: "x")]) }
            #expect(
                other == "two values with the ID Item/2 differ in field 'text': one is at '[0]', the other at '[1]'")
        }
    }

    @Test func everyCallMakesInstancesOfItsOwn() throws {
        let graph = try RecordEncoder().encode(Node("a", 1, next: Node("b", 2)))
        var all: [Node] = []
        for _ in 0..<10 { all.append(try RecordDecoder().decode(Node.self, from: graph)) }
        #expect(Set(all.flatMap { [ObjectIdentifier($0), $0.next.map(ObjectIdentifier.init)] }).count == 20)
    }

    @Test func recordsAreReadAsTheyAreInThisCall() throws {
        // The same IDs at the same positions, and some of the same storage.
        var records = Array(try RecordEncoder().encode(Node("a", 1, next: Node("b", 2))))
        for number in 0..<20 {
            records[0]["number"] = .int(Int64(number))
            let graph = try RecordGraph(records, roots: [records[1].id])
            let node = try RecordDecoder().decode(Node.self, from: graph)
            #expect(node.next?.number == number && node.number == 1 && node.name == "a" && node.next?.name == "b")
        }
    }
}

/// Two types that state no record type, and have one name.
private enum First { struct Same: RecordCodable { var recordName = "1" } }
private enum Second { struct Same: RecordCodable { var recordName = "2" } }

extension IdentityReuseTests {
    @Test func typesOfOneCallAreNotAConflictInAnother() throws {
        for _ in 0..<3 {
            #expect(try RecordEncoder().encode(First.Same()).roots == [Record.ID("Same/1")])
            #expect(try RecordEncoder().encode(Second.Same()).roots == [Record.ID("Same/2")])
            let error = #expect(throws: RecordError.self) {
                try RecordEncoder().encode([First.Same(), Second.Same()] as [any RecordEncodable])
            }
            #expect(error?.code == .ambiguousRecordType)
        }
    }
}
