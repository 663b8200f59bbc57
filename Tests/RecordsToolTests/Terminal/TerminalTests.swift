import Foundation
import Testing

@testable import records

@Suite struct TerminalTests {
    @Test func widthIsThatOfTheTerminal() throws {
        let terminal = try PseudoTerminal(columns: 132)
        #expect(
            Terminal(descriptor: terminal.slave, environment: ["COLUMNS": "50"])
                == Terminal(isTerminal: true, width: 132, allowsColour: true))
    }

    @Test(arguments: [("50", 50), ("", nil), ("x", nil), ("0", nil), ("-1", nil), ("99999999999999999999", nil)])
    func widthOfTheEnvironmentIsUsedWithoutThatOfTheTerminal(_ columns: String, _ width: Int?) throws {
        let terminal = try PseudoTerminal(columns: 0)
        #expect(Terminal(descriptor: terminal.slave, environment: ["COLUMNS": columns]).width == width)
    }

    @Test(arguments: [
        ([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false),
        (["TERM": "xterm"], true),
    ])
    func environmentForbidsColour(_ environment: [String: String], _ isAllowed: Bool) throws {
        let terminal = try PseudoTerminal(columns: 80)
        #expect(Terminal(descriptor: terminal.slave, environment: environment).allowsColour == isAllowed)
    }

    @Test func fileIsNotATerminal() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(
            Terminal(descriptor: fileno(file), environment: ["COLUMNS": "50", "TERM": "xterm"])
                == Terminal(isTerminal: false, width: nil, allowsColour: false))
    }
}
