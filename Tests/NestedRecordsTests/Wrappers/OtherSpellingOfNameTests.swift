import NestedRecords
import Testing

@Suite struct OtherSpellingOfNameTests {
    struct Shelf: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
    }

    @Test func nameInAnotherSpellingIsNotReportedAsAnIdentifierThatWasNotStored() async throws {
        let graph = try RecordGraph([Record(id: Record.ID("Shelf/007"))])
        let error = #expect(throws: (any Error).self) { try RecordDecoder().decode(Shelf.self, from: graph) }
        let text = String(describing: error)
        #expect(!text.contains("must be stored in a field"))
    }
}
