import Testing

@testable import NestedRecords

struct KeySlotsTests {
    private func numbers(_ slots: KeySlots) -> [Int16] { [1, 2, 200].map { slots[$0] } }

    @Test func numbersThatAreNotConfirmedAreForgotten() {
        let slots = KeySlots()
        #expect(numbers(slots) == [KeySlots.unknown, KeySlots.unknown, KeySlots.unknown])
        for round in 0..<3 as Range<Int16> {
            (slots[1], slots[2], slots[200]) = (10 + round, SlotTables.absent, 30 + round)
            var asked: [UInt8: Int16] = [:]
            slots.keep { byte, number in
                #expect(asked.updateValue(number, forKey: byte) == nil)
                return byte == 200
            }
            #expect(asked == [1: 10 + round, 2: SlotTables.absent, 200: 30 + round])
            #expect(numbers(slots) == [KeySlots.unknown, KeySlots.unknown, 30 + round])
        }
        slots.keep { _, _ in false }
        #expect(numbers(slots) == [KeySlots.unknown, KeySlots.unknown, KeySlots.unknown])
        slots.keep { _, _ in
            Issue.record("no number is left")
            return true
        }
    }
}
