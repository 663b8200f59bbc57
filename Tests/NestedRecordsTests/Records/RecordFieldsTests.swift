import NestedRecords
import Testing

@Suite struct RecordFieldsTests {
    /// Both sides of the number of names from which on there is an index.
    static let sizes = [0, 1, 2, 15, 16, 17, 18, 33, 200]

    static func fields(_ count: Int) -> Record.Fields {
        Record.Fields((0..<count).map { ("name\($0)", .int(Int64($0))) })
    }

    @Test(arguments: sizes) func orderIsTheOneOfWriting(_ count: Int) {
        let fields = Self.fields(count)
        #expect(fields.map(\.name) == (0..<count).map { "name\($0)" })
        #expect(fields.map(\.value) == (0..<count).map { .int(Int64($0)) })
    }

    @Test(arguments: sizes) func everyNameIsFoundAndNoOther(_ count: Int) {
        let fields = Self.fields(count)
        for number in 0..<count { #expect(fields["name\(number)"] == .int(Int64(number))) }
        #expect(fields["name\(count)"] == nil)
        #expect(fields[""] == nil)
    }

    @Test(arguments: sizes) func replacingKeepsThePlace(_ count: Int) {
        var fields = Self.fields(count)
        for number in 0..<count { fields["name\(number)"] = .null }
        #expect(fields.map(\.name) == Self.fields(count).map(\.name))
        #expect(fields.allSatisfy { $0.value == .null })
    }

    @Test(arguments: sizes) func removingLeavesTheOthers(_ count: Int) {
        for removed in 0..<count {
            var fields = Self.fields(count)
            fields["name\(removed)"] = nil
            #expect(fields.map(\.name) == (0..<count).filter { $0 != removed }.map { "name\($0)" })
            for number in 0..<count {
                #expect(fields["name\(number)"] == (number == removed ? nil : .int(Int64(number))))
            }
        }
    }

    @Test(arguments: sizes) func removedNamesComeBackAtTheEnd(_ count: Int) {
        var fields = Self.fields(count)
        fields["name0"] = nil
        fields["name0"] = .bool(true)
        #expect(fields.last?.name == "name0")
        #expect(fields["name0"] == .bool(true))
        #expect(fields.count == max(count, 1))
    }

    @Test(arguments: sizes) func everyFieldCanGo(_ count: Int) {
        var fields = Self.fields(count)
        for number in (0..<count).reversed() { fields["name\(number)"] = nil }
        #expect(fields == [:])
        #expect(fields.isEmpty)
        fields["name0"] = .int(0)
        #expect(fields == ["name0": .int(0)])
    }

    @Test(arguments: sizes) func severalFieldsAreRemovedTogether(_ count: Int) throws {
        var fields = Self.fields(count)
        fields.removeAll { $0.value == .int(0) || $0.name.hasSuffix("7") }
        let kept = (1..<max(count, 1)).filter { $0 % 10 != 7 }
        #expect(fields.map(\.name) == kept.map { "name\($0)" })
        for number in kept { #expect(fields["name\(number)"] == .int(Int64(number))) }
        #expect(fields["name7"] == nil)
        fields["name7"] = .null
        #expect(fields.last?.name == "name7")
        fields.removeAll { _ in false }
        #expect(fields.count == kept.count + 1)
        #expect(throws: CancellationError.self) { try fields.removeAll { _ in throw CancellationError() } }
        #expect(fields.count == kept.count + 1)
        fields.removeAll { _ in true }
        #expect(fields.isEmpty)
    }

    @Test func removingMissingFieldsDoesNothing() {
        var fields = Self.fields(20)
        fields["absent"] = nil
        #expect(fields == Self.fields(20))
    }

    @Test func nullIsAFieldAndNilIsNone() {
        var fields: Record.Fields = ["a": .int(1)]
        fields["a"] = .null
        #expect(fields.count == 1)
        #expect(fields["a"] == .null)
        fields["a"] = nil
        #expect(fields.isEmpty)
    }

    @Test func lastOfEqualNamesWins() {
        let literal: Record.Fields = ["a": .int(1), "b": .int(2), "a": .int(3)]
        let pairs = Record.Fields([("a", .int(1)), ("b", .int(2)), ("a", .int(3))])
        for fields in [literal, pairs] {
            #expect(fields.map(\.name) == ["a", "b"])
            #expect(fields["a"] == .int(3))
        }
    }

    @Test func copiesDoNotShareWrites() {
        let original = Self.fields(20)
        var copy = original
        copy["name0"] = nil
        copy["new"] = .null
        #expect(original == Self.fields(20))
        #expect(original["name0"] == .int(0))
        #expect(original["new"] == nil)
    }
}
