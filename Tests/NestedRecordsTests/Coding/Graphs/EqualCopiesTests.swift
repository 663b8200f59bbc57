import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct EqualCopiesTests {
    struct Mixed: RecordCodable, Identifiable {
        var id: Int
        var number = Double.nan
        var ratio = Float.nan
        var date = Date(timeIntervalSinceReferenceDate: 0.1)
        var noDate = Date(timeIntervalSinceReferenceDate: .nan)
        var tags: Set<String>
        var scores: [String: Int]
        var ranks: [Int: String]
        var bytes = Data([1, 2])
        var friends: [Mixed] = []
    }

    struct Root: RecordCodable, Identifiable {
        var id = "r"
        var mixed: [Mixed]
    }

    // Dictionaries and sets that were filled in another order enumerate in another order.
    private func makeMixed(reversed: Bool) -> Mixed {
        let numbers = reversed ? Array((0..<40).reversed()) : Array(0..<40)
        var mixed = Mixed(id: 1, tags: [], scores: [:], ranks: [:])
        if reversed {
            mixed.tags.reserveCapacity(500)
            mixed.scores.reserveCapacity(500)
            mixed.ranks.reserveCapacity(500)
        }
        for number in numbers {
            mixed.tags.insert("tag \(number)")
            mixed.scores["key \(number)"] = number
            mixed.ranks[number] = "rank \(number)"
        }
        return mixed
    }

    @Test func equalCopiesAreOneRecord() throws {
        let root = Root(mixed: [makeMixed(reversed: false), makeMixed(reversed: true), makeMixed(reversed: false)])
        let graph = try RecordEncoder().encode(root)
        #expect(graph.map(\.id.description) == ["Mixed/1", "Root/r"])
        let decoded = try RecordDecoder().decode(Root.self, from: graph)
        #expect(decoded.mixed.count == 3)
        #expect(decoded.mixed.allSatisfy { $0.number.isNaN && $0.tags.count == 40 && $0.ranks[7] == "rank 7" })
    }

    @Test func equalCopyInsideTheValueItselfIsAcceptedOnRequest() throws {
        final class Person: RecordCodable, Identifiable {
            let id: Int
            var friend: Person?
            init(id: Int) { self.id = id }
        }
        // Two instances for person 1, each with person 2 as a friend, who is a friend of the other.
        let (one, copy, two) = (Person(id: 1), Person(id: 1), Person(id: 2))
        one.friend = two
        two.friend = copy
        copy.friend = two
        defer { two.friend = nil }
        #expect(#expect(throws: RecordError.self) { try RecordEncoder().encode(one) }?.code == .referenceCycle)
        let graph = try RecordEncoder.allowingCycles.encode(one)
        #expect(graph.map(\.id.description) == ["Person/2", "Person/1"])
    }

    @Test func ringOfEqualCopiesOfOneValueIsOneRecord() throws {
        final class Person: RecordCodable, Identifiable {
            let id: Int
            var friend: Person?
            init(id: Int) { self.id = id }
        }
        let copies = (0..<3).map { _ in Person(id: 1) }
        for (copy, next) in zip(copies, copies[1...] + copies[1...1]) { copy.friend = next }
        defer { for copy in copies { copy.friend = nil } }
        #expect(#expect(throws: RecordError.self) { try RecordEncoder().encode(copies[0]) }?.code == .referenceCycle)
        let graph = try RecordEncoder.allowingCycles.encode(copies[0])
        #expect(graph.map(\.id.description) == ["Person/1"])
        #expect(graph[0]["friend"] == (try Flat.reference("Person/1")))
    }

    @Test func zerosOfBothSignsAreEqual() throws {
        struct Point: RecordCodable, Identifiable {
            var id: Int
            var x: Double
        }
        let graph = try RecordEncoder().encode([Point(id: 1, x: 0), Point(id: 1, x: -0.0)])
        #expect(graph.count == 1)
    }
}
