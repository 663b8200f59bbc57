import NestedRecords
import Testing

/// Structs whose bytes stay the same while an object that they hold changes.
@Suite struct ChangingContentTests {
    final class Box { var number = 0 }

    struct Model: RecordEncodable, Identifiable {
        let id = 1
        let box: Box

        enum CodingKeys: CodingKey { case id, number }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(box.number, forKey: .number)
        }
    }

    struct Step: Encodable {
        let box: Box

        func encode(to encoder: any Encoder) throws {
            box.number += 1
            try box.number.encode(to: encoder)
        }
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        let before: [Model]
        let step: Step
        let after: Model
    }

    @Test(arguments: 1...3)
    func contentThatChangedIsAConflictHoweverOftenTheValueWasMet(meetings: Int) throws {
        let box = Box()
        let model = Model(box: box)
        let root = Root(
            before: Array(repeating: model, count: meetings), step: Step(box: box), after: model)
        let error = try #require(throws: RecordError.self) { try RecordEncoder().encode(root) }
        guard case .conflict(_, field: "number", _, let second) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(second.map(\.stringValue) == ["after"])
    }
}
