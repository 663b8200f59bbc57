import NestedRecords
import Testing

/// A record of whatever type that is read as all its fields, and then follows some of them.
private struct Whole: DynamicRecordRepresentable, Decodable {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let id: Record.ID
    let names: [String]
    let nested: [Whole]

    var recordType: String { id.type }
    var recordName: String { id.name }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.singleValueContainer().decode(Record.Fields.self)
        let container = try decoder.container(keyedBy: Key.self)
        id = try #require(decoder.userInfo[.recordID] as? Record.ID)
        names = fields.map(\.name)
        nested = try fields.filter { $0.name.hasPrefix("to") }.flatMap { name, _ in
            try container.decode([Whole].self, forKey: Key(stringValue: name))
        }
        // Asked again when others were decoded in between.
        #expect(decoder.userInfo[.recordID] as? Record.ID == id)
    }
}

@Suite struct WholeRecordTests {
    @Test func recordReadAsAWholeFollowsItsFields() async throws {
        let database = InMemoryRecordDatabase()
        let leaves = try (1...3).map { try Record(id: Record.ID("Leaf/\($0)"), fields: ["b": .int(1), "a": .int(2)]) }
        let references = leaves.map { Record.Value.reference(Record.Reference(to: $0.id)) }
        let branches = try (1...2).map {
            try Record(id: Record.ID("Branch/\($0)"), fields: ["x": .null, "toLeaves": .list(references)])
        }
        let root = try Record(
            id: Record.ID("Root/1"),
            fields: ["toBranches": .list(branches.map { .reference(Record.Reference(to: $0.id)) })])
        try await database.save(RecordGraph(leaves + branches + [root]))
        for _ in 1...2 {
            let resolution = try await RecordDecoder().resolve(Whole.self, from: root.id, in: database)
            #expect(resolution.value.nested.map(\.id) == branches.map(\.id))
            #expect(resolution.value.nested.map(\.names) == [["x", "toLeaves"], ["x", "toLeaves"]])
            #expect(resolution.value.nested.flatMap(\.nested).map(\.id) == leaves.map(\.id) + leaves.map(\.id))
            #expect(resolution.value.nested.flatMap(\.nested).allSatisfy { $0.names == ["b", "a"] })
            #expect(resolution.callCount == 3)
        }
    }
}
