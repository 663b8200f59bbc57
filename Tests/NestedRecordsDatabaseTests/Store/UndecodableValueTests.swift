import Foundation
import NestedRecords
import TestSupport
import Testing

/// Values that their types cannot read are not stored.
@Suite struct UndecodableValueTests {
    /// Synthesized decoding requires the ignored property.
    struct Cached: RecordCodable, Identifiable {
        @RecordName var id: String
        var cache = ["default"]
        static let schema = RecordSchema(ignoring: ["cache"])
    }

    struct Unnamed: RecordCodable, Identifiable {
        var id = UUID().uuidString
        var text: String
        enum CodingKeys: CodingKey { case text }
    }

    /// Reads what the database adds.
    struct Stamped: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        @ServerTimestamp var changed: Date? = nil
        var text = ""
        var version: Record.Metadata?
    }

    private let memory = InMemoryRecordDatabase()

    private func expectRefusal(
        _ parts: String..., of body: () async throws -> Void
    ) async throws {
        do {
            try await body()
            Issue.record("saved")
        } catch let error as RecordError {
            #expect(error.code == .undecodableValue && error.kind == .invalidInput)
            for part in parts { #expect("\(error)".contains(part), "\(error)") }
        }
    }

    @Test func insertAndOverwriteRefuseWhatTheTypeCannotRead() async throws {
        let store = memory.values
        let advice = ["'cache' is ignored", "declare one in the schema's defaults, or make the property optional"]
        try await expectRefusal(advice[0], advice[1], "Cached/a") { try await store.insert(Cached(id: "a")) }
        try await expectRefusal(advice[0], advice[1]) {
            try await store.insert([Cached(id: "a"), Cached(id: "b")])
        }
        try await expectRefusal(advice[0]) { try await store.overwrite(Cached(id: "a")) }
        try await expectRefusal("must have a coding key or @RecordName") {
            try await store.insert(Unnamed(text: "t"))
        }
        try await expectRefusal(advice[0]) {
            try await store.transaction { store in _ = try await store.insert(Cached(id: "a")) }
        }
        #expect(try await memory.records(ofType: nil).reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test func valuesHaveTheMetadataAndTheTimeOfTheirSave() async throws {
        let store = memory.values
        var stored = try await store.insert(Stamped(id: "s"))
        for text in ["", "one", "two"] {
            if !text.isEmpty {
                stored.text = text
                stored.value.changed = nil
                try await store.save(&stored)
            }
            let record = try #require(try await memory.record(for: Record.ID("Stamped/s")))
            #expect(stored.version == record.metadata && stored.metadata == record.metadata)
            #expect(stored.changed == record.metadata?.modificationDate)
            #expect(try await store.fetch(Stamped.self, named: "s").value == stored.value)
        }
    }

    /// Counts the values that are decoded.
    struct Counted: RecordCodable, Identifiable {
        @RecordName var id: String
        var number: Int

        @TaskLocal static var count: Locked<Int>?

        init(id: String, number: Int) { (self.id, self.number) = (id, number) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _id = try container.decode(RecordName<String>.self, forKey: .id)
            number = try container.decode(Int.self, forKey: .number)
            Self.count?.withLock { $0 += 1 }
        }
    }

    @Test func insertDecodesAValueOnce() async throws {
        let count = Locked(0)
        let stored = try await Counted.$count.withValue(count) {
            try await memory.values.insert(Counted(id: "c", number: 1))
        }
        #expect(count.withLock { $0 } == 1)
        let record = try await memory.record(for: stored.recordID)
        #expect(stored.metadata != nil && stored.metadata == record?.metadata)
    }
}
