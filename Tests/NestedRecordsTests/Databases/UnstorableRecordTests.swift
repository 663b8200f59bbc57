import NestedRecords
import Testing

/// Records that no file can hold are refused in memory too, so that a test finds them.
@Suite struct UnstorableRecordTests {
    private static let deep = (0...1_000).reduce(Record.Value.null) { value, _ in .list([value]) }
    private static let marked = "a" + String(repeating: "\u{301}", count: 1_001)

    private static let refused: [(fields: Record.Fields, code: RecordError.Code)] = [
        (Record.Fields([("value", deep)]), .depthLimitExceeded), (Record.Fields([(marked, .int(1))]), .invalidKey),
        (Record.Fields([("value", .map(Record.Fields([(marked, .int(1))])))]), .invalidKey),
    ]

    @Test(arguments: refused.indices) func recordIsRefusedWithItsBatch(_ number: Int) async throws {
        let (fields, code) = Self.refused[number]
        let database = InMemoryRecordDatabase()
        let records = [try Record(id: Record.ID("A/1")), try Record(id: Record.ID("A/2"), fields: fields)]
        let error = await #expect(throws: RecordError.self) {
            try await database.commit(RecordBatch(saving: records))
        }
        #expect(error?.code == code)
        #expect(try await database.record(for: Record.ID("A/1")) == nil)
    }
}
