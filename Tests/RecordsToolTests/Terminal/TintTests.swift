import Foundation
import Testing

@testable import records

@Suite struct TintTests {
    /// What a command prints on a terminal of 60 columns.
    private func shown(_ arguments: [String], _ environment: [String: String]) async throws -> [String] {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"A/1","fields":{"s":"x\nm","n":7,"b":true,"none":null,"to":{"$ref":"A/2"},"list":[1],"#
                    + #""at":{"$date":"2030-01-01T00:00:00Z"},"odd name":"y"}}"#
            ], to: "a.jsonl")
        let terminal = try PseudoTerminal(columns: 60)
        let console = Console(outputDescriptor: terminal.slave, errorDescriptor: -1, environment: environment)
        _ = await Records.program.run([arguments[0], folder.path("a.jsonl")] + arguments[1...], console: console)
        return try terminal.read().split(separator: "\r\n").map(String.init)
    }

    @Test func valuesHaveTheColoursOfTheirKinds() async throws {
        let lines = try await shown(["get", "A/1"], [:])
        #expect(
            lines == [
                "\u{1b}[36mA/1\u{1b}[39m", "    s: \u{1b}[32m\"x\\nm\"\u{1b}[39m", "    n: \u{1b}[35m7\u{1b}[39m",
                "    b: \u{1b}[35mtrue\u{1b}[39m", "    none: \u{1b}[90mnull\u{1b}[39m",
                "    to: \u{1b}[36m→ A/2\u{1b}[39m", "    list: [1]",
                "    at: \u{1b}[94m2030-01-01T00:00:00Z\u{1b}[39m", "    \"odd name\": \u{1b}[32m\"y\"\u{1b}[39m",
            ])
    }

    @Test(arguments: [["get", "A/1"], ["query"], ["ls"], ["get", "A/1", "--tree"]])
    func coloursChangeNothingElse(_ arguments: [String]) async throws {
        let plain = try await shown(arguments, ["NO_COLOR": "1"])
        let coloured = try await shown(arguments, [:])
        #expect(plain.allSatisfy { !$0.contains("\u{1b}") })
        #expect(coloured.contains { $0.contains("\u{1b}[36m") || $0.contains("\u{1b}[35m") })
        #expect(coloured.map(\.withoutColours) == plain)
    }
}

extension String {
    /// This text without the sequences that begin and end a colour.
    var withoutColours: String { replacing(#/\u{1b}\[[0-9]*m/#, with: "") }
}
