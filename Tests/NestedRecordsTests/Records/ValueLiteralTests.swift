import NestedRecords
import Testing

@Suite struct ValueLiteralTests {
    @Test func literalsAreValues() {
        let fields: Record.Fields = ["a": 1, "b": 1.5, "c": "x", "d": true, "e": [1, ["f": "y"]]]
        let expected: Record.Fields = [
            "a": .int(1), "b": .double(1.5), "c": .string("x"), "d": .bool(true),
            "e": .list([.int(1), .map(Record.Fields([("f", .string("y"))]))]),
        ]
        #expect(fields == expected)
    }
}
