import Testing

@testable import records

@Suite struct ListingTests {
    private let terminal = Terminal(isTerminal: true, width: nil, allowsColour: false)

    private func row(_ key: String, _ cells: String...) -> Listing.Row {
        Listing.Row(key: key, cells: cells.map { .text($0) })
    }

    @Test(arguments: [10, 17, 40, 80]) func noLineIsWiderThanTheWindow(columns: Int) {
        var listing = Listing()
        let rows = (0..<9).map { row("\($0)", "国立\($0)図書館の名前", "مكتبة", "e\u{301}\u{202E}x", "word word word") }
        listing.set(header: ["@name", "名前", "c", "d"], rows: rows)
        let lines = listing.lines((columns, 6), terminal)
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { $0.displayWidth <= columns && !$0.unicodeScalars.contains("\u{202E}") }, "\(lines)")
    }

    @Test func selectedRowIsShownAndStaysWithItsKey() {
        var listing = Listing()
        listing.set(header: [], rows: (0..<100).map { row("\($0)", "row \($0)") })
        listing.select(57)
        #expect(listing.lines((40, 5), terminal).contains { $0.utf8.starts(with: "> row 57".utf8) })
        listing.set(header: [], rows: (50..<100).map { row("\($0)", "row \($0)") })
        #expect(listing.selected?.key == "57")
        listing.set(header: [], rows: [row("1", "row 1")])
        #expect(listing.selected?.key == "1")
        listing.set(header: [], rows: [])
        #expect(listing.selected == nil && listing.lines((40, 5), terminal).isEmpty)
    }

    @Test func columnsScrollToTheLeftWithoutTheFirst() {
        var listing = Listing()
        listing.set(header: ["name", "one", "two"], rows: [row("x", "x", "first", "second")])
        listing.scroll(by: 5)
        #expect(
            listing.lines((40, 5), terminal) == [
                "  name  two   ", "> x     second" + String(repeating: " ", count: 26),
            ])
    }
}
