import Testing

@testable import NestedRecords

struct TypeMapTests {
    @Test func callUsesTheEntryOfTheCallBefore() {
        var map = TypeMap<Entry>()
        let entry = map.add(Entry(), for: Int.self)
        let isUnused = map.find(Int.self) == nil
        let (first, second) = (map.open(entry), map.open(entry))
        let found = map.find(Int.self)?.isSame(as: entry)
        #expect(isUnused && first && !second && found == true)
        var resetCount = 0
        map.reset { _ in resetCount += 1 }
        let isOver = map.find(Int.self) == nil
        let known = map.known(Int.self)?.isSame(as: entry)
        #expect(resetCount == 1 && isOver && known == true)
        let again = map.open(entry)
        let count = map.opened.count
        #expect(again && count == 1)
    }

    @Test func entryThatIsAddedWhileAnotherIsMadeStays() {
        var map = TypeMap<Entry>()
        let first = map.add(Entry(), for: Int.self)
        let second = map.add(Entry(), for: Int.self).isSame(as: first)
        #expect(second)
    }

    @Test func moreThanIsKeptIsReleased() {
        weak var first: Entry?
        var map = TypeMap<Entry>()
        for (number, type) in Self.types(257).enumerated() {
            let entry = Entry()
            if number == 0 { first = entry }
            _ = map.open(map.add(entry, for: type))
            if number == 255 {
                map.reset { _ in }
                #expect(first != nil)
            }
        }
        map.reset { _ in }
        #expect(first == nil)
    }

    /// As many types.
    private static func types(_ count: Int) -> [Any.Type] {
        var types: [any Numbered.Type] = [Zero.self]
        while types.count < count { types.append(types[types.count - 1].successor) }
        return types
    }
}

private protocol Numbered {
    static var successor: any Numbered.Type { get }
}

private enum Zero: Numbered {
    static var successor: any Numbered.Type { Successor<Zero>.self }
}

private enum Successor<Inner: Numbered>: Numbered {
    static var successor: any Numbered.Type { Successor<Self>.self }
}

private final class Entry: TypeMapEntry {}
