import Foundation
import NestedRecords

extension Command {
    /// Prints the manual page.
    static let manual = Command(
        name: "manual",
        summary: "Prints the manual page, for 'man'",
        discussion: "The page has the help of all commands. Scripts/install of the package installs it.",
        examples: [Example("records manual | man -l -", "Read the page")]
    ) { arguments in
        let day = Date().recordString.map { String(decoding: $0.utf8.prefix(10), as: UTF8.self) } ?? ""
        try arguments.console.output.write(ManualPage(program: arguments.program, day: day).text)
        return .done
    }
}
