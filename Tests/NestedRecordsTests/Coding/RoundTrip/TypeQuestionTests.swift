import NestedRecords
import Testing

/// Types that use the call that asks them for their record type.
@Suite struct TypeQuestionTests {
    /// What a type does when it is asked for its record type next.
    @TaskLocal static var answer: Answer?

    final class Answer: @unchecked Sendable {
        // One thread uses it, that of the test.
        private var action: (() -> Void)?
        let recordType: String

        init(recordType: String) { self.recordType = recordType }

        func set(_ action: @escaping () -> Void) { self.action = action }

        func run() {
            let action = action
            self.action = nil
            action?()
        }
    }

    struct Leaf: RecordCodable, Identifiable, Equatable {
        static var recordType: String {
            TypeQuestionTests.answer?.run()
            return TypeQuestionTests.answer?.recordType ?? "Leaf"
        }

        var id: Int
    }

    struct Root: RecordCodable, Identifiable, Equatable {
        var id = 1
        var early = Leaf(id: 1)
        var leaves = [Leaf(id: 2), Leaf(id: 3)]

        enum CodingKeys: CodingKey { case id, early, leaves }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            var early: Leaf?
            TypeQuestionTests.answer?.set { early = try? container.decode(Leaf.self, forKey: .early) }
            leaves = try container.decode([Leaf].self, forKey: .leaves)
            self.early = try early ?? container.decode(Leaf.self, forKey: .early)
            #expect(TypeQuestionTests.answer == nil || early != nil)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            var isEarly = false
            TypeQuestionTests.answer?.set {
                var container = encoder.container(keyedBy: CodingKeys.self)
                isEarly = (try? container.encode(early, forKey: .early)) != nil
            }
            try container.encode(leaves, forKey: .leaves)
            if !isEarly { try container.encode(early, forKey: .early) }
            #expect(TypeQuestionTests.answer == nil || isEarly)
        }
    }

    @Test(arguments: [["Leaf"], ["Leaf", "Sheet"]])
    func typeMayUseTheCallThatAsksIt(recordTypes: [String]) throws {
        for round in 0..<6 {
            // Where it is another one each time, what is known of the type is replaced while the type is asked.
            let recordType = recordTypes[round % recordTypes.count]
            try Self.$answer.withValue(Answer(recordType: recordType)) {
                let graph = try RecordEncoder().encode(Root())
                #expect(Set(graph) == Set(try Self.records(recordType)))
                #expect(try RecordDecoder().decode(Root.self, from: graph) == Root())
            }
        }
    }

    /// A type whose list may be of any type.
    struct Open: RecordCodable, Identifiable {
        @TaskLocal static var list: any Sendable = NoProperties()
        static var ignoredProperties: any Sendable { list }

        var id = 1
        var note: String? = "a"
    }

    @Test func listOfAnyTypeIsReadEachTime() throws {
        for _ in 0..<2 {
            #expect(throws: RecordError.self) { try RecordEncoder().encode(Open()) }
            for list: any Sendable in [["note"], [String](), Set(["note"])] {
                let note = (list as? [String])?.isEmpty ?? false ? Record.Value.string("a") : nil
                try Open.$list.withValue(list) {
                    let graph = try RecordEncoder().encode(Open())
                    #expect(graph[0]["note"] == note)
                    #expect(try RecordDecoder().decode(Open.self, from: graph).note == (note == nil ? nil : "a"))
                }
            }
        }
    }

    private static func records(_ type: String) throws -> [Record] {
        let leaves = try (1...3).map { try Record(id: Record.ID("\(type)/\($0)"), fields: ["id": .int($0)]) }
        let references = leaves.map { Record.Value.reference(Record.Reference(to: $0.id)) }
        let fields: Record.Fields = ["id": .int(1), "early": references[0], "leaves": .list(Array(references[1...]))]
        return leaves + [try Record(id: Record.ID("Root/1"), fields: fields)]
    }
}
