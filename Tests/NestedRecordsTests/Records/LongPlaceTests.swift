import NestedRecords
import Testing

@Suite struct LongPlaceTests {
    final class Node: RecordCodable, Identifiable {
        let id: Int
        let next: Node?

        init(id: Int, next: Node?) {
            self.id = id
            self.next = next
        }
    }

    @Test func longWaysAreToldByTheirBeginningAndEnd() throws {
        let node = (1...40).reversed().reduce(nil) { Node(id: $1, next: $0) }
        var encoder = RecordEncoder()
        encoder.maximumDepth = 30
        let error = try #require(throws: RecordError.self) { try encoder.encode(try #require(node)) }
        #expect(
            error.description == """
                the value is nested more than 30 levels deep, at 'next.next.next.next.…22 more….next.next.next.next' \
                in record Node/30, field 'next' (Node/1 .next → Node/2 .next → Node/3 .next → Node/4 .next → \
                … 21 more … → Node/26 .next → Node/27 .next → Node/28 .next → Node/29 .next → Node/30)
                """)
    }
}
