import NestedRecords
import TestSupport
import Testing

@Suite struct HeldLinkChainTests {
    struct Node: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var next: RecordLink<Node>?
    }

    private static func chain(_ length: Int) throws -> Node {
        var node = Node(id: length)
        for id in (1..<length).reversed() { node = Node(id: id, next: try RecordLink(holding: node)) }
        return node
    }

    @Test func longChainIsEncodedOnASmallStack() async throws {
        let ids = try await inThreadWithSmallStack { try RecordEncoder().encode(Self.chain(1_000)).map(\.id.name) }
        let expected = (1...1_000).reversed().map { "\($0)" }
        #expect(ids == expected)
    }

    @Test func chainBeyondTheLimitIsRefused() async throws {
        let error = await #expect(throws: RecordError.self) {
            try await inThreadWithSmallStack { _ = try RecordEncoder().encode(Self.chain(1_001)) }
        }
        #expect(error?.code == .depthLimitExceeded && error?.limit == 1_000)
        #expect(error?.context.record?.description == "Node/1000")
        #expect(error?.context.field == "next")
        #expect(error?.context.codingPath.count == 1_000)
    }

    final class Room: RecordCodable, Identifiable {
        var id: Int
        var door: RecordLink<Room>?
        var inside: [Room] = []
        init(id: Int) { self.id = id }
    }

    @Test func objectThatIsLinkedAndNestedIsOneRecord() throws {
        let (hall, attic) = (Room(id: 1), Room(id: 2))
        hall.inside = [attic]
        hall.door = try RecordLink(holding: attic)
        attic.door = try RecordLink(holding: hall)
        defer { attic.door = nil }
        let graph = try RecordEncoder().encode(hall)
        #expect(graph.map(\.id.description) == ["Room/2", "Room/1"])
        #expect(graph[1]["inside"] == (try Flat.references(["Room/2"])))
        #expect(graph[1]["door"] == (try Flat.reference("Room/2", isLink: true)))
        #expect(try RecordDecoder().decode(Room.self, from: graph).inside[0].door?.id.description == "Room/1")
    }

    @Test func objectThatWasRenamedIsNotWhatItsLinkSays() throws {
        let (hall, attic) = (Room(id: 1), Room(id: 2))
        hall.door = try RecordLink(holding: attic)
        attic.id = 3
        guard let graph = try? RecordEncoder().encode(hall) else { return }
        #expect(try RecordDecoder().decode(Room.self, from: graph).door == hall.door)
    }
}
