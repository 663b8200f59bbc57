import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ReferenceWalkTests {
    private func walked(_ walk: ReferenceWalk) -> [String] {
        var walk = walk
        var found: [String] = []
        while let reference = walk.next() { found.append("\(walk.path.pathText): \(reference.id)") }
        return found
    }

    @Test func everyReferenceIsGivenWithItsPathInOrder() throws {
        let record = try Flat.record(
            "A/1",
            [
                "none": .int(1), "one": Flat.reference("B/1"), "empty": .list([]),
                "list": .list([.null, Flat.reference("B/2"), .list([.list([]), .list([Flat.reference("B/3")])])]),
                "map": .map(["é": .list([.map([:]), .map(["0": Flat.reference("B/4")])]), "x": Flat.reference("B/5")]),
                "last": Flat.reference("B/6"),
            ])
        #expect(
            walked(ReferenceWalk(record.fields)) == [
                "one: B/1", "list[1]: B/2", "list[2][1][0]: B/3", "map.é[1].0: B/4", "map.x: B/5", "last: B/6",
            ])
        #expect(record.references.map(\.id.name) == ["1", "2", "3", "4", "5", "6"])
    }

    @Test func pathInAValueBeginsBelowIt() throws {
        let list = Record.Value.list([.null, try Flat.reference("B/1")])
        #expect(walked(ReferenceWalk(list)) == ["[1]: B/1"])
        #expect(walked(ReferenceWalk(.int(1))) == [])
    }

    @Test func keysOfListsAreNumbersAndThoseOfMapsAreNot() throws {
        var walk = ReferenceWalk(["7": .list([try Flat.reference("B/1")])] as Record.Fields)
        #expect(walk.path.isEmpty)
        #expect(walk.next() != nil)
        #expect(walk.path.map(\.stringValue) == ["7", "Index 0"])
        #expect(walk.path.map(\.intValue) == [nil, 0])
        #expect(walk.next() == nil)
    }

    @Test func deepValuesAreWalkedThrough() async throws {
        let reference = try Flat.reference("B/1")
        let count = try await inThreadWithSmallStack {
            let deep = (0..<999).reduce(reference) { value, _ in .list([value]) }
            var walk = ReferenceWalk(["deep": deep] as Record.Fields)
            guard walk.next() != nil else { return 0 }
            return walk.path.count
        }
        #expect(count == 1_000)
    }
}
