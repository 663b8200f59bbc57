import NestedRecords
import Testing

@Suite struct RecordFieldsCollectionTests {
    @Test(arguments: RecordFieldsTests.sizes) func equalityIgnoresTheOrder(_ count: Int) {
        let fields = RecordFieldsTests.fields(count)
        let backwards = Record.Fields(fields.reversed().map { ($0.name, $0.value) })
        #expect(fields == backwards)
        #expect(fields.hashValue == backwards.hashValue)
        #expect(Set([fields, backwards]).count == 1)
        #expect(Record.Value.map(fields).hashValue == Record.Value.map(backwards).hashValue)
    }

    @Test(arguments: RecordFieldsTests.sizes) func equalityComparesNamesAndValues(_ count: Int) {
        let fields = RecordFieldsTests.fields(count)
        var more = fields
        more["more"] = .null
        #expect(fields != more)
        for name in fields.map(\.name) {
            var other = fields
            other[name] = .null
            #expect(fields != other)
            other[name] = nil
            #expect(fields != other)
            other["other"] = fields[name]
            #expect(fields != other)
        }
    }

    @Test func swappedValuesAreDifferentFieldsWithAnotherHash() {
        let fields: Record.Fields = ["a": .int(1), "b": .int(2)]
        let swapped: Record.Fields = ["a": .int(2), "b": .int(1)]
        #expect(fields != swapped)
        #expect(fields.hashValue != swapped.hashValue)
    }

    @Test func fieldsCountLikeAnArray() {
        let fields: Record.Fields = ["c": .int(1), "a": .int(2), "b": .int(3)]
        #expect(fields.startIndex == 0)
        #expect(fields.endIndex == 3)
        #expect(fields.count == 3)
        #expect(fields[1].name == "a")
        #expect(fields[1].value == .int(2))
        #expect(fields.first?.name == "c")
        #expect(fields.last?.name == "b")
        #expect(fields.reversed().map(\.name) == ["b", "a", "c"])
        #expect(fields[1...].map(\.name) == ["a", "b"])
        #expect(Record.Fields().first == nil)
    }

    @Test func descriptionIsOneLineInOrder() {
        let fields: Record.Fields = ["b": .string("x\ny"), "a": .map(["c": .list([.null, .int(-1)])])]
        #expect(fields.description == #"{b: "x\ny", a: {c: [null, -1]}}"#)
        #expect(Record.Fields().description == "{}")
    }
}
