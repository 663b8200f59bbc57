import Testing

@testable import NestedRecords

struct SwiftTypeTableTests {
    @Test func valuesAreThoseOfADictionary() {
        let objects = (0..<1_000).map { _ in Marker() }
        var table = SwiftTypeTable<Int>()
        var dictionary: [ObjectIdentifier: Int] = [:]
        for (number, object) in objects.enumerated() where number % 3 != 0 {
            table.set(number, for: ObjectIdentifier(object))
            dictionary[ObjectIdentifier(object)] = number
        }
        for object in objects {
            #expect(table[ObjectIdentifier(object)] == dictionary[ObjectIdentifier(object)])
        }
    }

    @Test func theLastValueOfATypeCounts() {
        var table = SwiftTypeTable<String>()
        #expect(table[ObjectIdentifier(Int.self)] == nil)
        table.set("first", for: ObjectIdentifier(Int.self))
        table.set("second", for: ObjectIdentifier(Int.self))
        #expect(table[ObjectIdentifier(Int.self)] == "second")
        #expect(table[ObjectIdentifier(String.self)] == nil)
    }
}

private final class Marker {}
