import NestedRecords
import TestSupport
import Testing

/// References to records of types that cannot be decoded where they are.
@Suite struct UnusableTargetTests {
    private struct Item: RecordCodable, Identifiable {
        var id: Int
        var name: String
        static let recordType = "UsableItem"
    }

    private struct Box: RecordCodable, Identifiable {
        var id: String
        var items: [Item]
        static let recordType = "UsableBox"
    }

    /// Leaves out what cannot be decoded.
    private struct ForgivingBox: RecordCodable, Identifiable {
        var id: String
        var items: [Item]
        static let recordType = "UsableBox"

        enum CodingKeys: String, CodingKey { case id, items }

        init(id: String, items: [Item]) { (self.id, self.items) = (id, items) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            var list = try container.nestedUnkeyedContainer(forKey: .items)
            items = []
            while !list.isAtEnd {
                if let item = try? list.decode(Item.self) { items.append(item) } else { _ = try list.superDecoder() }
            }
        }
    }

    private func makeDatabase() async throws -> CountingDatabase {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Box(id: "good", items: (0..<3).map { Item(id: $0, name: "\($0)") }))
        let secrets = try (0..<100).map { try Flat.record("Secret/\($0)", ["name": "secret"]) }
        try await memory.commit(RecordBatch(saving: secrets, savePolicy: .overwrite))
        let ids = ["UsableItem/1"] + secrets.map(\.id.description) + ["UsableItem/2"]
        try await memory.commit(
            RecordBatch(
                saving: [Flat.record("UsableBox/bad", ["id": "bad", "items": Flat.references(ids)])],
                savePolicy: .overwrite))
        return CountingDatabase(memory)
    }

    @Test func unusableTargetIsRefusedBeforeItIsFetched() async throws {
        let database = try await makeDatabase()
        let decoder = RecordDecoder()
        _ = try await database.values(coding: decoder.coding).fetch(Box.self, named: "good").value
        database.forgetCalls()
        await #expect(throws: (any Error).self) {
            try await database.values(coding: decoder.coding).fetch(Box.self, named: "bad").value
        }
        #expect(database.calls.flatMap(\.self).allSatisfy { $0.type != "Secret" })
    }

    @Test func unusableTargetThatIsLeftOutIsNotFetched() async throws {
        let database = try await makeDatabase()
        let decoder = RecordDecoder()
        _ = try await database.values(coding: decoder.coding).fetch(ForgivingBox.self, named: "good").value
        database.forgetCalls()
        for _ in 0..<2 {
            let box = try await database.values(coding: decoder.coding).fetch(ForgivingBox.self, named: "bad").value
            #expect(box.items.map(\.id) == [1, 2])
        }
        #expect(database.calls.flatMap(\.self).allSatisfy { $0.type != "Secret" })
        #expect(database.calls.count == 4)
    }

    // MARK: Types that come later

    private class Shape: RecordCodable, Identifiable {
        let id: Int
        class var recordType: String { "UsableShape" }
        init(id: Int) { self.id = id }
    }

    private final class Circle: Shape {
        override class var recordType: String { "UsableCircle" }
    }

    private struct Drawing: RecordCodable, Identifiable {
        var id: String
        var shapes: [Shape]
        static let recordType = "UsableDrawing"
    }

    @Test func typeThatComesLaterIsLearned() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Drawing(id: "a", shapes: [Shape(id: 1)]))
        var decoder = RecordDecoder()
        decoder.coding.register(Circle.self)
        let drawing = Drawing(id: "b", shapes: [Shape(id: 1), Circle(id: 2), Circle(id: 3), Circle(id: 4)])
        try await memory.save(RecordEncoder().encode(drawing), savePolicy: .overwrite)
        let database = CountingDatabase(memory)
        let store = database.values(coding: decoder.coding)
        _ = try await store.fetch(Drawing.self, named: "a")
        for expected in [3, 2] {
            database.forgetCalls()
            let drawing = try await store.fetch(Drawing.self, named: "b")
            #expect(drawing.shapes.map(\.id) == [1, 2, 3, 4] && drawing.shapes[3] is Circle)
            // The first time the other type is asked for once more, all of its records together.
            #expect(database.calls.count == expected)
        }
    }
}
