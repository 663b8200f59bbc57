import NestedRecords
import TestSupport
import Testing

/// Values that can be saved, and not decoded from what was saved.
@Suite struct UnreadableSaveTests {
    /// Encodes any level, decodes only positive ones.
    struct Gauge: RecordCodable, Identifiable, Equatable {
        struct Negative: Error {}

        var id: String
        var level: Int

        init(id: String, level: Int) {
            self.id = id
            self.level = level
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            level = try container.decode(Int.self, forKey: .level)
            if level < 0 { throw Negative() }
        }
    }

    static func expectSaved(_ error: RecordDatabaseError?, in memory: InMemoryRecordDatabase) async throws {
        let error = try #require(error)
        #expect(error.code == .savedButNotDecoded)
        let underlyingError = try #require(error.underlyingError)
        let record = try await memory.fetch("Gauge/g")
        #expect(error.savedMetadata == [record.id: try #require(record.metadata)])
        #expect(record["level"] == -1)
        #expect("\(underlyingError)".contains("Negative"))
        let description = error.description
        #expect(
            description.hasPrefix("1 record was saved, but the value cannot be decoded from it: "), "\(description)")
        #expect(description.hasSuffix("\(underlyingError)"))
    }

    @Test func valueThatCannotBeReadBackAfterASaveIsAnErrorWithItsVersion() async throws {
        let memory = InMemoryRecordDatabase()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.saveAndFetch(Gauge(id: "g", level: -1))
        }
        try await Self.expectSaved(error, in: memory)
    }

    @Test func valueThatCannotBeReadBackAfterAnUpdateIsAnErrorWithItsVersion() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.save(Gauge(id: "g", level: 1))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.update(Gauge.self, named: "g") { $0.level = -1 }
        }
        try await Self.expectSaved(error, in: memory)
    }
}
