import Testing

@testable import NestedRecords

@Suite struct FieldNamesTests {
    struct Person: RecordCodable {
        static var recordType: String { "Person" }
        var recordName: String
        var age = 1
        var home: [String: Int] = ["door": 1]
    }

    @Test func recordsOfOneTypeShareTheirNames() throws {
        let graph = try RecordEncoder().encode((0..<10).map { Person(recordName: "\($0)") })
        #expect(graph.count == 10)
        #expect(Set(graph.map { $0.fields.shape.map(ObjectIdentifier.init) }).count == 1)
        #expect(graph[0].fields.shape != nil)
    }

    @Test func fieldsWithoutNamesHaveNoObject() throws {
        #expect(Record.Fields().shape == nil)
        #expect(Record.Fields([]).shape == nil)
        #expect(Record.Fields(names: [], values: []).shape == nil)
        var fields: Record.Fields = ["a": 1]
        fields["a"] = nil
        #expect(fields.shape == nil)
        #expect(fields.isEmpty)
        #expect(fields == [:])
        fields["b"] = 2
        #expect(fields == ["b": 2])
    }

    /// Both sides of the number of names from which on there is an index.
    @Test(arguments: [1, 15, 16, 17, 40]) func changeLeavesTheNamesOfCopies(count: Int) {
        let names = (0..<count).map { "name\($0)" }
        let original = Record.Fields(names.map { ($0, .null) })
        var longer = original
        longer["new"] = .null
        var shorter = original
        shorter["name0"] = nil
        #expect(original.map(\.name) == names)
        #expect(longer.map(\.name) == names + ["new"])
        #expect(shorter.map(\.name) == Array(names.dropFirst()))
        #expect(original["new"] == nil)
        #expect(longer["new"] == .null)
        #expect(shorter["name0"] == nil)
    }
}
