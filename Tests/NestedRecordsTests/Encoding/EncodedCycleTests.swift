import NestedRecords
import Testing

/// Values that contain each other.
@Suite struct EncodedCycleTests {
    final class Person: RecordCodable, Identifiable {
        let id: String
        var friend: Person?
        var others: [Person] = []
        var home: RecordLink<House>?

        init(_ id: String) { self.id = id }
    }

    final class House: RecordCodable, Identifiable {
        let id: String
        var people: [Person] = []

        init(_ id: String) { self.id = id }
    }

    @Test func cycleOfPropertiesIsRefusedAndNamed() throws {
        let (a, b, c) = (Person("a"), Person("b"), Person("c"))
        (a.friend, b.friend, c.others) = (b, c, [Person("d"), b])
        defer { c.others = [] }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(a) }
        #expect(error?.code == .referenceCycle)
        #expect(error?.cycle.map(\.record.description) == ["Person/b", "Person/c", "Person/b"])
        #expect(
            "\(error as Any)".contains(
                "records contain each other: Person/b .friend → Person/c .others[1] → Person/b: "
                    + "make 'others[1]' of Person a RecordLink"))
    }

    @Test func valueThatContainsItselfIsRefused() throws {
        let a = Person("a")
        a.friend = a
        defer { a.friend = nil }
        #expect(#expect(throws: RecordError.self) { try RecordEncoder().encode(a) }?.code == .referenceCycle)
    }

    @Test func cyclesAreWrittenOnRequestAndNamedWhenTheyAreRead() throws {
        let (a, b) = (Person("a"), Person("b"))
        (a.friend, b.friend) = (b, a)
        defer { b.friend = nil }
        var encoder = RecordEncoder()
        encoder.allowsReferenceCycles = true
        let graph = try encoder.encode(a)
        #expect(graph.count == 2)
        let error = #expect(throws: RecordError.self) {
            try RecordDecoder().decode(Person.self, from: graph, root: a.recordID)
        }
        #expect("\(error as Any)".contains("make 'friend' of Person a RecordLink"))
    }

    @Test func linkEndsACycle() throws {
        let (a, b, house) = (Person("a"), Person("b"), House("h"))
        house.people = [a, b]
        (a.home, b.home) = (try RecordLink(holding: house), try RecordLink(holding: house))
        defer { house.people = [] }
        for graph in [try RecordEncoder().encode(house), try RecordEncoder().encode(a)] {
            #expect(graph.count == 3)
            #expect(try RecordDecoder().decode(House.self, from: graph, root: Record.ID("House/h")).people.count == 2)
        }
    }

    @Test func cycleBehindALinkIsRefused() throws {
        let (a, b, house) = (Person("a"), Person("b"), House("h"))
        (a.friend, b.friend) = (b, a)
        house.people = [a]
        defer { b.friend = nil }
        let guest = Person("guest")
        guest.home = try RecordLink(holding: house)
        #expect(#expect(throws: RecordError.self) { try RecordEncoder().encode(guest) }?.code == .referenceCycle)
    }

    struct Part: RecordCodable, Identifiable {
        final class Box: Codable { var part: Part? }

        var id: Int
        var box = Box()
    }

    @Test func cycleByWayOfAnObjectThatIsNoRecordIsRefused() throws {
        let part = Part(id: 1)
        part.box.part = part
        defer { part.box.part = nil }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(part) }
        #expect(error?.code == .referenceCycle)
        #expect(error?.cycle.map(\.record.description) == ["Part/1", "Part/1"])
    }

    @Test func sharedInstancesAreNoCycle() throws {
        let (a, b, c) = (Person("a"), Person("b"), Person("c"))
        (a.friend, a.others, b.friend) = (b, [b, c, c], c)
        #expect(try RecordEncoder().encode(a).count == 3)
    }
}

extension EncodedCycleTests.Person {
    fileprivate var recordID: Record.ID? { try? Record.ID(of: self) }
}
