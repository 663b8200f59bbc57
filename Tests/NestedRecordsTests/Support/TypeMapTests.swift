import Testing

@testable import NestedRecords

struct TypeMapTests {
    @Test func aCallOpensWhatTheCallBeforeHasLeft() {
        var map = TypeMap<Entry>()
        let entry = Entry()
        let opened = map.open(entry, for: Int.self).object
        var (found, idle) = (map.find(Int.self)?.object, map.idle(Int.self)?.object)
        #expect(opened === entry && found === entry && idle == nil)
        map.reset { _ in true }
        (found, idle) = (map.find(Int.self)?.object, map.idle(Int.self)?.object)
        #expect(found == nil && idle === entry)
        if let idle = map.idle(Int.self) { map.open(idle) }
        (found, idle) = (map.find(Int.self)?.object, map.idle(Int.self)?.object)
        #expect(found === entry && idle == nil)
        let count = map.opened.count
        #expect(count == 1)
    }

    @Test func whatCannotServeAgainIsNotIdle() {
        var map = TypeMap<Entry>()
        _ = map.open(Entry(), for: Int.self)
        let kept = Entry()
        _ = map.open(kept, for: String.self)
        map.reset { $0 === kept }
        let (number, string) = (map.idle(Int.self)?.object, map.idle(String.self)?.object)
        #expect(number == nil && string === kept)
    }

    @Test func whatIsOpenStaysOpenWhenAnotherIsMade() {
        var map = TypeMap<Entry>()
        let first = Entry()
        _ = map.open(first, for: Int.self)
        let (opened, count) = (map.open(Entry(), for: Int.self).object, map.opened.count)
        #expect(opened === first && count == 1)
    }

    @Test func whatTookThePlaceOfSomethingIdleIsLeft() {
        var map = TypeMap<Entry>()
        _ = map.open(Entry(), for: Int.self)
        map.reset { _ in true }
        let second = Entry()
        let opened = map.open(second, for: Int.self).object
        map.reset { _ in true }
        let idle = map.idle(Int.self)?.object
        #expect(opened === second && idle === second)
    }

    @Test func whatCannotServeAgainIsReleasedAfterTheNextCall() {
        weak var released: Entry?
        var map = TypeMap<Entry>()
        do {
            let entry = Entry()
            released = entry
            _ = map.open(entry, for: Int.self)
        }
        map.reset { _ in false }
        let second = Entry()
        let opened = map.open(second, for: Int.self).object
        // The present call may still use the first one.
        #expect(opened === second && released != nil)
        map.reset { _ in true }
        #expect(released == nil)
    }

    @Test(arguments: [64, 65, 256]) func typesThatTakeTurnsFindWhatTheyHaveLeft(_ count: Int) {
        let types = Self.types(count)
        var map = TypeMap<Entry>()
        var (made, found) = (0, 0)
        for _ in 0..<3 {
            for type in types {
                if let idle = map.idle(type) {
                    found += 1
                    map.open(idle)
                } else {
                    made += 1
                    _ = map.open(Entry(), for: type)
                }
                map.reset { _ in true }
            }
        }
        #expect(made == count && found == 2 * count)
    }

    @Test func moreThanIsKeptIsReleased() {
        weak var first: Entry?
        var map = TypeMap<Entry>()
        for (number, type) in Self.types(257).enumerated() {
            let entry = Entry()
            if number == 0 { first = entry }
            _ = map.open(entry, for: type)
            if number == 255 {
                map.reset { _ in true }
                #expect(first != nil)
            }
        }
        map.reset { _ in true }
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
