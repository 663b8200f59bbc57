import TestSupport
import Testing

@testable import records

@Suite struct TableTests {
    private func table(
        _ header: [String], _ rows: [[Table.Cell]], width: Int?, bold: Bool = false, hasIDs: Bool = false,
        sampleSize: Int = 1_000
    ) throws -> String {
        let terminal = Terminal(isTerminal: width != nil, width: width, allowsColour: bold)
        var table = Table(header: header, terminal: terminal, hasIDs: hasIDs, sampleSize: sampleSize)
        var text = ""
        for row in rows { text += try table.add(row) }
        return text + table.finish()
    }

    private let rows: [[Table.Cell]] = [
        [.text("Person/1"), .number("7"), .text("Ada")],
        [.text("Person/日本"), .number("1200"), .text("line\nbreak")],
        [.text("Person/3"), .empty, .text("Grace Brewster Murray Hopper")],
    ]

    @Test func columnsAreAsWideAsTheirCells() throws {
        let expected = #"""
            id           count  name
            Person/1         7  Ada
            Person/日本   1200  line\nbreak
            Person/3            Grace Brewster Murray Hopper

            """#
        #expect(try table(["id", "count", "name"], rows, width: nil) == expected)
        #expect(try table(["id", "count", "name"], rows, width: 80) == expected)
        #expect(try table(["id", "count", "name"], rows, width: 48) == expected)
    }

    @Test func widestColumnShrinksFirst() throws {
        #expect(
            try table(["id", "count", "name"], rows, width: 36) == #"""
                id           count  name
                Person/1         7  Ada
                Person/日本   1200  line\nbreak
                Person/3            Grace Brewster …

                """#)
        #expect(
            try table(["id", "count", "name"], rows, width: 29) == #"""
                id          count  name
                Person/1        7  Ada
                Person/日…   1200  line\nbre…
                Person/3           Grace Bre…

                """#)
    }

    @Test func columnsThatDoNotFitAreLeftOut() throws {
        #expect(
            try table(["id", "count", "name"], rows, width: 22) == #"""
                id          count  …+1
                Person/1        7  …
                Person/日…   1200  …
                Person/3           …

                """#)
        #expect(
            try table(["id", "count", "name"], rows, width: 15) == #"""
                id          …+2
                Person/1    …
                Person/日…  …
                Person/3    …

                """#)
    }

    @Test(arguments: Sweep.some(12, of: 1...120))
    func noLineIsWiderThanTheTerminal(_ width: Int) throws {
        let rows = (0..<30).map { row in
            (0..<8).map { column in
                Table.Cell.text(
                    String(repeating: ["日", "x", "👩‍👧", "é", "\u{7}"][(row + column) % 5], count: row * column))
            }
        }
        let text = try table((0..<8).map { "column \($0)" }, rows, width: width, sampleSize: 10)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 32)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
    }

    @Test func laterRowsAreCutToTheWidthsOfTheFirst() throws {
        let rows: [[Table.Cell]] = [
            [.text("ab"), .text("c")], [.text("abcd"), .text("d")], [.text("a"), .text("efghi")],
        ]
        #expect(
            try table(["1", "2"], rows, width: 80, sampleSize: 1) == """
                1   2
                ab  c
                a…  d
                a   …

                """)
        #expect(
            try table(["1", "2"], rows, width: nil, sampleSize: 1) == """
                1   2
                ab  c
                abcd  d
                a   efghi

                """)
    }

    @Test func idsAreNotCut() throws {
        let rows: [[Table.Cell]] = [
            [.text("ab"), .text("some text")], [.text("an ID with \u{202e} many"), .text("some text")],
        ]
        #expect(
            try table(["@name", "2"], rows, width: 20, hasIDs: true) == """
                @name       2
                ab          some te…
                an ID with \\u{202e} many  some te…

                """)
    }

    @Test func headerIsBoldWhereColourIsAllowed() throws {
        #expect(try table(["a", "b"], [[.text("1")]], width: 80, bold: true) == "\u{1b}[1ma  b\u{1b}[0m\n1\n")
    }

    @Test func cellsAreCutBeforeTheyAreColoured() throws {
        let rows: [[Table.Cell]] = [
            [.text("Person/1", .reference), .number("7", .number), .text("A long text", .text), .text("null", .null)]
        ]
        #expect(
            try table(["id", "n", "text", "x"], rows, width: 27, bold: true) == """
                \u{1b}[1mid        n  text      x\u{1b}[0m
                \u{1b}[36mPerson/1\u{1b}[39m  \u{1b}[35m7\u{1b}[39m  \u{1b}[32mA long …\u{1b}[39m  \u{1b}[90mnull\u{1b}[39m

                """)
    }

    @Test func emptyTableHasItsHeader() throws {
        #expect(try table(["a", "b"], [], width: 80) == "a  b\n")
    }

    @Test func surplusCellIsAnError() throws {
        #expect(throws: Table.SurplusCell(text: "2")) {
            try table(["a"], [[.text("1"), .text("2")]], width: 80)
        }
    }

    @Test func veryLongCellPushesOnlyItsOwnRow() throws {
        let long = String(repeating: "x", count: 5_000)
        let text = try table(["a", "b"], [[.text(long), .text("1")], [.text("y"), .text("2")]], width: nil)
        let lines = text.split(separator: "\n")
        #expect(lines[1] == "\(long)  1")
        #expect(lines[2] == "y" + String(repeating: " ", count: 201) + "2")
    }
}
