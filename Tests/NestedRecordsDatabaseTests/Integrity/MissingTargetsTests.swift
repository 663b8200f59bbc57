import NestedRecords
import TestSupport
import Testing

@Suite struct MissingTargetsTests {
    private let texts = [
        "there is no record A/9, which is referred to at 'list[1].é' in record A/1, field 'list'",
        "there is no record A/e\u{301}, which is referred to at 'owner' in record B/1, field 'owner'",
    ]

    private func makeRecords() throws -> [Record] {
        [
            try Flat.record(
                "A/1", ["list": .list([Flat.reference("A/1"), .map(["é": Flat.reference("A/9", isLink: true)])])]),
            try Flat.record("A/\u{E9}"),
            try Flat.record("B/1", ["owner": Flat.owner("A/e\u{301}"), "other": Flat.owner("A/\u{E9}")]),
        ]
    }

    @Test func referencesToMissingRecordsAreFound() async throws {
        let database = try await InMemoryRecordDatabase.holding(makeRecords())
        #expect(try await database.danglingReferences().map(\.description) == texts)
    }

    @Test func plainDeletionLeavesDanglingReferencesAndCascadingNone() async throws {
        let records = [try Flat.record("A/1"), try Flat.owned("A/2", ["owner": "A/1"])]
        let database = try await InMemoryRecordDatabase.holding(records)
        try await database.delete([Record.ID("A/1")], .dangling)
        #expect(try await database.danglingReferences().map(\.target) == Flat.ids(["A/1"]))
        try await database.delete([Record.ID("A/1")], [.cascading, .dangling])
        #expect(try await database.danglingReferences().isEmpty)
        #expect(try await database.contents.isEmpty)
    }

    @Test func onlyRecordsWithSuchReferencesAreFetched() async throws {
        let database = try await CountingDatabase(holding: makeRecords(), batchLimit: 1)
        #expect(try await database.danglingReferences().map(\.description) == texts)
        #expect(database.sortedCalls == [["A/1"], ["B/1"]])
    }

    @Test func recordInPlaceOfAnotherIsAnError() async throws {
        let database = try await CountingDatabase(holding: makeRecords()) { ids, answer in ids.map { _ in answer[0] } }
        let error = await #expect(throws: RecordError.self) { try await database.danglingReferences() }
        #expect(error?.code == .invalidResponse)
    }
}
