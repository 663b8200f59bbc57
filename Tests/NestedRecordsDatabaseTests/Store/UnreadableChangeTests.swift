import Foundation
import NestedRecords
import TestSupport
import Testing

/// Changes of properties to values that their types encode and do not decode.
@Suite struct UnreadableChangeTests {
    /// Decoding accepts only some of the values that encoding writes.
    struct Percent: Codable, Sendable, Hashable {
        var value: Int
        init(_ value: Int) { self.value = value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = try container.decode(Int.self)
            guard (0...100).contains(value) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a percentage")
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    struct Part: Codable, Sendable {
        var share: Percent
    }

    struct Outer: Codable, Sendable {
        var low, high: Int
        init(low: Int, high: Int) { (self.low, self.high) = (low, high) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            (low, high) = (try container.decode(Int.self, forKey: .low), try container.decode(Int.self, forKey: .high))
            guard low <= high else {
                throw DecodingError.dataCorruptedError(forKey: .low, in: container, debugDescription: "low above high")
            }
        }
    }

    struct Work: RecordCodable, Identifiable {
        @RecordName var id: Int
        var done = Percent(0)
        var maybe: Percent?
        var list: [Percent] = []
        var set: Set<Percent> = []
        var byName: [String: Percent] = [:]
        var part = Part(share: Percent(1))
        var range = Outer(low: 1, high: 2)
        var position = "1.0;2.0"
        @ServerTimestamp var changed: Date?
        @ExplicitNull var note: Percent?
        static let recordType = "UnreadableWork"
        static let schema = RecordSchema(locations: ["position"])
    }

    private let memory = InMemoryRecordDatabase()

    @Test(arguments: [false, true])
    func valueThatItsTypeCannotReadIsNotStored(isSnakeCase: Bool) async throws {
        var coding = RecordCoding()
        if isSnakeCase { coding.keyStrategy = .snakeCase }
        let store = memory.values(coding: coding)
        let id = try await store.insert(Work(id: 1)).recordID
        let before = try await memory.record(for: id)
        let changes: [(String, (QueryField<Work, Work>) -> PropertyChange<Work>)] = [
            ("done", { $0.done.set(Percent(101)) }), ("maybe", { $0.maybe.set(Percent(-1)) }),
            ("list", { $0.list.set([Percent(1), Percent(101)]) }), ("list", { $0.list.append(Percent(101)) }),
            ("set", { $0.set.insert(Percent(101)) }), ("byName.a", { $0.byName["a"].set(Percent(101)) }),
            ("byName", { $0.byName.set(["a": Percent(101)]) }), ("part.share", { $0.part.share.set(Percent(101)) }),
            ("part", { $0.part.set(Part(share: Percent(101))) }), ("note", { $0.note.set(Percent(101)) }),
            ("done", { $0.field("done", as: Int.self).set(101) }),
            ("done", { $0.field("done", as: Int.self).increment(101) }),
        ]
        for (field, change) in changes {
            let error = await #expect(throws: RecordError.self, "\(field)") {
                try await store.change(Work.self, named: 1) { change($0) }
            }
            #expect(error?.code == .unchangeableField && error?.recordID == id)
            let text = error?.description ?? ""
            let name = isSnakeCase ? field.replacing("byName", with: "by_name") : field
            #expect(text.contains("'\(name)' would be"), "\(text)")
        }
        #expect(try await memory.record(for: id) == before)
    }

    @Test func readableValuesAreStored() async throws {
        let store = memory.values
        try await store.insert(Work(id: 1))
        try await store.change(Work.self, named: 1) {
            $0.done.set(Percent(100))
            $0.maybe.set(nil)
            $0.list.append(Percent(3))
            $0.set.insert(Percent(3))
            $0.byName["a"].set(Percent(4))
            $0.part.set(Part(share: Percent(5)))
            $0.position.set("3.5;4.5")
            $0.changed.set(nil)
            $0.note.set(Percent(6))
        }
        let work = try await store.fetch(Work.self, named: 1)
        #expect(work.done == Percent(100) && work.list == [Percent(3)] && work.set == [Percent(3)])
        #expect(work.byName == ["a": Percent(4)] && work.note == Percent(6) && work.changed != nil)
        #expect(work.part.share == Percent(5) && work.position == "3.5;4.5")
    }

    @Test func typesThatContainThePropertyDoNotCheckIt() async throws {
        let store = memory.values
        try await store.insert(Work(id: 1))
        try await store.change(Work.self, named: 1) { $0.range.low.set(3) }
        await #expect(throws: (any Error).self) { try await store.fetch(Work.self, named: 1) }
        try await store.change(Work.self, named: 1) { $0.range.high.set(4) }
        #expect(try await store.fetch(Work.self, named: 1).range.low == 3)
    }
}
