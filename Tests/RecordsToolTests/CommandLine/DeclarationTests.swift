import Testing

@testable import records

/// What must hold of the declarations of every command of the tool.
@Suite struct DeclarationTests {
    private static let commands = Records.program.commands

    @Test func namesAreUnique() {
        let names = Self.commands.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(!names.contains("help"))
    }

    @Test(arguments: commands.map(\.name))
    func optionsAndArgumentsAreUnique(_ name: String) throws {
        let command = try #require(Records.program.command(named: name))
        let spellings = command.allOptions.flatMap(\.spellings)
        #expect(Set(spellings).count == spellings.count)
        let names = command.arguments.map(\.name) + command.options.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(command.arguments.dropLast().allSatisfy { $0.occurrence != .repeated })
    }

    @Test(arguments: commands.map(\.name))
    func defaultIsAChoice(_ name: String) throws {
        let command = try #require(Records.program.command(named: name))
        for option in command.options {
            guard case .choice(let choices) = option.kind, let value = option.defaultValue else { continue }
            #expect(choices.contains(value))
        }
    }

    @Test(arguments: commands.map(\.name))
    func examplesCanBeParsed(_ name: String) throws {
        let command = try #require(Records.program.command(named: name))
        #expect(!command.examples.isEmpty)
        for example in command.examples {
            let lines = example.line.split { "|()".contains($0) }.map { line in
                line.prefix { $0 != "<" && $0 != ">" }.split(separator: " ").map { $0.filter { $0 != "'" } }
            }
            let calls = lines.filter { $0.prefix(2) == ["records", command.name] }
            #expect(!calls.isEmpty, "\(example.line)")
            for call in calls {
                #expect(throws: Never.self) { try ArgumentParser.parse(Array(call.dropFirst(2)), for: command) }
            }
        }
    }
}
