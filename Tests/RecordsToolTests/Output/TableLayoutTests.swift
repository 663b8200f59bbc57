import Testing

@testable import records

@Suite struct TableLayoutTests {
    @Test(arguments: [
        ([10, 20, 30], 64, [10, 20, 30], 0), ([10, 20, 30], 63, [10, 20, 29], 0), ([10, 30, 30], 44, [10, 15, 15], 0),
        ([10, 30, 30], 45, [10, 16, 15], 0), ([2, 100, 100], 22, [2, 8, 8], 0), ([2, 100, 100], 21, [2, 12], 1),
        ([100], 20, [20], 0), ([], 20, [], 0), ([0, 3], 5, [0, 3], 0), ([100, 100], 6, [1], 1),
        ([100, 100], 5, [5], 0),
        ([100, 100], 0, [1], 0),
    ])
    func widthsAreSharedFairly(_ natural: [Int], _ total: Int, _ widths: [Int], _ omitted: Int) {
        let layout = TableLayout(natural: natural, within: total, gap: 2)
        #expect(layout.widths == widths)
        #expect(layout.omitted == omitted)
    }

    @Test(arguments: [
        ([10, 30, 30], 34, [10, 10, 10], 0), ([30, 30, 30], 40, [20, 8, 8], 0),
        ([30, 30, 30], 38, [19, 12], 1), ([30], 40, [20], 0), ([5, 9], 10, [5], 1),
    ])
    func idsAreNotShrunk(_ natural: [Int], _ total: Int, _ widths: [Int], _ omitted: Int) {
        let layout = TableLayout(natural: natural, within: total, gap: 2, hasIDs: true)
        #expect(layout.widths == widths)
        #expect(layout.omitted == omitted)
    }

    @Test(.timeLimit(.minutes(60))) func columnsWithoutRoomAreNotTriedOneByOne() {
        let layout = TableLayout(natural: Array(repeating: 3, count: 1_000_000), within: 20, gap: 2)
        #expect(layout.widths == [3, 3])
        #expect(layout.omitted == 999_998)
    }

    @Test func nothingShrinksWithoutATerminal() {
        let layout = TableLayout(natural: [1, 150, 300], within: nil, gap: 2)
        #expect(layout.widths == [1, 150, 200])
        #expect(layout.omitted == 0)
    }
}
