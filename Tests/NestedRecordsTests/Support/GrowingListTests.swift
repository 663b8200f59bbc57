import Testing

@testable import NestedRecords

struct GrowingListTests {
    final class Element {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test(arguments: [0, 1, 4, 5, 100, 1_000])
    func elementsStandInTheOrderInWhichTheyWereAdded(count: Int) {
        var list = GrowingList<Element>()
        for number in 0..<count { list.append(Element(number)) }
        let counted = list.count
        #expect(counted == count)
        #expect((0..<count).allSatisfy { list[$0].number == $0 })
        let array: [Element] = list.take(keeping: count / 2)
        #expect(array.map(\.number) == Array(0..<count))
        let isEmpty = list.isEmpty
        #expect(isEmpty)
    }

    @Test func takenListTakesNewElements() {
        var list = GrowingList<String>()
        list.append("one")
        list.append("two", count: 3)
        let taken: ContiguousArray = list.take(keeping: 1_000)
        #expect(taken == ["one", "two", "two", "two"])
        list.append("three")
        list[0] += " and more"
        #expect(list.popLast() == "three and more")
        #expect(list.popLast() == nil)
        let rest: [String] = list.take(keeping: 0)
        #expect(rest.isEmpty)
    }

    @Test func removedElementsAreLetGo() {
        weak var removed: Element?
        weak var popped: Element?
        weak var replaced: Element?
        weak var left: Element?
        do {
            var list = GrowingList<Element>()
            for number in 0..<3 { list.append(Element(number)) }
            (replaced, popped) = (list[0], list[2])
            _ = list.popLast()
            list[0] = Element(10)
            #expect(popped == nil && replaced == nil)
            removed = list[1]
            list.removeAll(keeping: 10)
            #expect(removed == nil)
            list.append(Element(4))
            left = list[0]
            #expect(left != nil)
        }
        #expect(left == nil)
    }

    @Test func positionsOutOfRangeEndTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var list = GrowingList<Int>()
            list.append(1)
            _ = list[1]
        }
        await #expect(processExitsWith: .failure) {
            var list = GrowingList<Int>()
            list.append(1)
            _ = list.popLast()
            list[0] = 2
        }
    }

    @Test func numbersAreAddedAndSetAsTheirBytes() async {
        var list = GrowingList<UInt8>()
        list.append(0xFF)
        list.append(bytesOf: 0x0123_4567_89AB_CDEF as UInt64)
        list.append(bytesOf: 0 as UInt32)
        [1, 2, 3].withBytesInPlace { list.append(contentsOf: $0) }
        [].withBytesInPlace { list.append(contentsOf: $0) }
        list.set(bytesOf: 0x0A0B_0C0D as UInt32, at: 9)
        let expected: [UInt8] = [
            0xFF, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 0x0D, 0x0C, 0x0B, 0x0A, 1, 2, 3,
        ]
        #expect(list.withBytesInPlace { Array($0) } == expected)
        list.truncate(to: 20)
        list.truncate(to: -1)
        #expect(list.withBytesInPlace { Array($0) } == expected)
        list.truncate(to: 2)
        #expect(list.withBytesInPlace { Array($0) } == [0xFF, 0xEF])
        await #expect(processExitsWith: .failure) {
            var list = GrowingList<UInt8>()
            list.append(0, count: 7)
            list.set(bytesOf: 1 as UInt32, at: 4)
        }
    }
}
