import Foundation
import NestedRecords
import Testing

@Suite struct DescriptionTests {
    @Test func recordIsAHeadAndALineForEachField() throws {
        let id = try Record.ID("Person/harry")
        let record = try Record(
            id: Record.ID("School/hogwarts"),
            fields: [
                "name": .string("\"Hog\"\nwarts"), "motto": .null, "isOpen": .bool(true), "pupils": .int(-280),
                "age": .double(1), "size": .double(.infinity),
                "founded": .date(Date(timeIntervalSinceReferenceDate: 0.001)),
                "lost": .date(Date(timeIntervalSinceReferenceDate: .nan)), "crest": .bytes(Data([1, 2, 3])),
                "place": .location(try Location("57.05;-5.13")), "director": .reference(Record.Reference(to: id)),
                "friends": .list([
                    .reference(Record.Reference(to: id, isLink: true)),
                    .reference(Record.Reference(to: id, action: .deleteSelf)),
                    .reference(Record.Reference(to: id, action: .deleteSelf, isLink: true)),
                ]), "houses": .map(["b": .list([]), "a": .map([:])]),
            ])
        #expect(
            record.description == #"""
                School/hogwarts
                    name: "\"Hog\"\nwarts"
                    motto: null
                    isOpen: true
                    pupils: -280
                    age: 1.0
                    size: inf
                    founded: 2001-01-01T00:00:00.001Z
                    lost: nan s since 2001
                    crest: 3 bytes
                    place: 57.05;-5.13
                    director: → Person/harry
                    friends: [⇢ Person/harry, → Person/harry (delete with it), ⇢ Person/harry (delete with it)]
                    houses: {b: [], a: {}}
                """#)
    }

    @Test(arguments: [
        ("St. John's", #""St. John's""#), ("'", #""'""#), ("", #""""#), (#"\'"#, #""\\'""#), ("''\"\n", #""''\"\n""#),
        ("é'日\0", "é'日\0".debugDescription.replacing(#"\'"#, with: "'")),
    ])
    func stringIsInQuotesWithoutEscapedApostrophes(_ string: String, _ text: String) {
        #expect(Record.Value.string(string).description == text)
    }

    @Test func recordWithoutFieldsIsItsID() throws {
        #expect(try Record(id: Record.ID("A/b")).description == "A/b")
    }

    @Test func graphIsItsRecordsTargetsFirst() throws {
        let child = try Record(id: Record.ID("A/child"), fields: ["n": .int(1)])
        let root = try Record(id: Record.ID("A/root"), fields: ["child": .reference(Record.Reference(to: child.id))])
        let graph = try RecordGraph([root, child])
        #expect(
            graph.description == """
                A/child
                    n: 1
                A/root
                    child: → A/child
                """)
    }

    @Test(arguments: [1e15, -1e15, 1e300, -0x1p63 + 1e6, .infinity, -.infinity, .nan])
    func dateWithoutATextIsItsSeconds(_ interval: Double) {
        let value = Record.Value.date(Date(timeIntervalSinceReferenceDate: interval))
        #expect(value.description == "\(interval) s since 2001")
    }

    @Test(arguments: [-0x1p63, (-0x1p63).nextUp, -0x1p63 + 80_000])
    func dateAtTheEndOf64BitsIsItsSeconds(_ interval: Double) {
        let value = Record.Value.date(Date(timeIntervalSinceReferenceDate: interval))
        #expect(value.description == "\(interval) s since 2001")
    }
}
