import Foundation
import NestedRecords
import Testing

@testable import records

/// The table of the newest changes.
@Suite struct ChangeTableTests {
    private func book(_ name: String, _ fields: Record.Fields = [:]) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: fields)
    }

    private func changes(_ saved: [Record], deleting deleted: [String] = []) throws -> RecordChanges {
        RecordChanges(
            saved: saved, deleted: try deleted.map { try Record.ID(type: "Book", name: $0) },
            token: ChangeToken(store: "a", position: 1), isComplete: true)
    }

    /// The lines on a screen on which the text was written.
    private func screen(_ text: String) -> [String] {
        var lines = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            if character.isNewline {
                lines.append("")
            } else if character == "\u{1b}" {
                let count = Int(rest.dropFirst().prefix { $0.isNumber }) ?? 0
                rest = rest.drop { $0 != "A" }.dropFirst("A\u{1b}[J".count)
                lines.removeLast(count + 1)
                lines.append("")
            } else {
                lines[lines.count - 1].append(character)
            }
        }
        return lines.dropLast()
    }

    @Test func newestChangeOfEachRecordIsOnTop() async throws {
        let terminal = try PseudoTerminal(columns: 40)
        let console = Console(
            outputDescriptor: terminal.slave, errorDescriptor: terminal.slave, environment: ["NO_COLOR": "1"])
        let printer = ChangeTablePrinter(console: console)
        try printer.begin(ChangeToken(store: "a", position: 0))
        try printer.print(changes([book("1", ["title": "Sea"]), book("2")]))
        try printer.print(changes([book("1", ["title": .string("An Atlas of Clouds and Winds")])], deleting: ["3"]))
        #expect(
            screen(try terminal.read()) == [
                "record  change   fields", "Book/3  deleted", "Book/1  saved    title: \"An Atlas of C…",
                "Book/2  saved",
            ])
    }

    @Test func tableFitsOnTheScreen() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let console = Console(
            outputDescriptor: terminal.slave, errorDescriptor: terminal.slave, environment: ["NO_COLOR": "1"])
        let printer = ChangeTablePrinter(console: console)
        var text = ""
        for number in 0..<30 {
            try printer.print(changes([book("\(number)")]))
            text += try terminal.read()
        }
        let lines = screen(text)
        #expect(lines.count == 23, "the title and 22 rows, on 24 lines with that of the cursor")
        #expect(lines[1].hasPrefix("Book/29 ") && lines[22].hasPrefix("Book/8 "))
    }

    @Test func tableNeedsATerminal() async throws {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - a.records", input: #"{"id":"Book/1","fields":{}}"# + "\n")
        let run = try folder.run("records log a.records --table")
        #expect(run.status == 2)
        #expect(run.errors.contains("'--table' needs a terminal"))
    }
}
