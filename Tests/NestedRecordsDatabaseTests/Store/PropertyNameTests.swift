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
        #expect(paths.map { $0.propertyName } == ["first", "second", "inner"])
        let text: AnyKeyPath = \Pair<String>.second
        #expect(text.nameOfPlace == "second")
    }

    @Test func propertyOfAClassIsFoundByItsText() {
        let name: AnyKeyPath = \Dog.name
        #expect(name.nameOfPlace == nil && name.propertyName == "name")
    }

    @Test func bothWaysGiveOneName() {
        for path in [\Pair<Int8>.first, \Pair<Int8>.inner] as [AnyKeyPath] {
            #expect(path.nameOfPlace == path.printedName)
        }
    }

    @Test func stepsThroughAPropertyGiveNoName() {
        let path: AnyKeyPath = \Pair<Int8>.inner.number
        #expect(path.propertyName == nil)
    }

    @Test func withoutTheRuntimesFunctionsTextsGiveNames() {
        RuntimeFunctions.$current.withValue(nil) {
            let path: AnyKeyPath = \Pair<Int8>.first
            #expect(path.nameOfPlace == nil)
            #expect(path.propertyName == "first")
        }
    }
}
