import Testing

@testable import NestedRecords

@Suite struct PropertyNameTests {
    private struct Pair<Value> {
        var first: Value
        var nothing: Void
        var second: Value
        var both: [Value] { [first, second] }
        var inner: Inner
    }

    private struct Inner {
        var number: Int8
    }

    private class Animal {
        var legs = 4
    }

    private final class Dog: Animal {
        let name = "Rex"
    }

    /// Key paths are printed with the name of a property without bytes that is at the same place.
    @Test func propertyOfAStructureIsFoundByItsPlace() {
        let paths: [AnyKeyPath] = [\Pair<Int8>.first, \Pair<Int8>.second, \Pair<Int8>.inner]
        #expect(paths.map { $0.propertyName(in: Pair<Int8>.self) } == ["first", "second", "inner"])
        let text: AnyKeyPath = \Pair<String>.second
        #expect(text.nameOfPlace(in: Pair<String>.self) == "second")
    }

    @Test func propertyOfAClassIsFoundByItsText() {
        let name: AnyKeyPath = \Dog.name
        #expect(name.nameOfPlace(in: Dog.self) == nil && name.propertyName(in: Dog.self) == "name")
    }

    @Test func bothWaysGiveOneName() {
        for path in [\Pair<Int8>.first, \Pair<Int8>.inner] as [AnyKeyPath] {
            #expect(path.nameOfPlace(in: Pair<Int8>.self) == path.printedName(in: Pair<Int8>.self))
        }
    }

    @Test func partOfAPropertyIsNoProperty() {
        let path: AnyKeyPath = \Pair<Int8>.inner.number
        #expect(path.propertyName(in: Pair<Int8>.self) == nil)
        #expect(path.propertyName(in: Inner.self) == nil)
    }

    @Test func withoutTheRuntimesFunctionsTextsGiveNames() {
        RuntimeFunctions.$current.withValue(nil) {
            let path: AnyKeyPath = \Pair<Int8>.first
            #expect(path.nameOfPlace(in: Pair<Int8>.self) == nil)
            #expect(path.propertyName(in: Pair<Int8>.self) == "first")
        }
    }
}
