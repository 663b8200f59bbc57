import Testing

@testable import records

/// What the commands that report print to a terminal.
@Suite struct ReportTerminalTests {
    private static let name = "山の上の学校-" + String(repeating: "long-", count: 20)
    private static let lines = [
        #"{"id":"School/\#(name)","fields":{"name":"\#(name)","a":{"$ref":"Person/ada"},"b":{"$ref":"Person/\#(name)"}}}"#,
        #"{"id":"Person/ada","fields":{"title":"👩‍👩‍👧‍👦 and 🇯🇵, \u202e and more","c":{"$ref":"School/\#(name)"}}}"#,
    ]

    /// Runs the tool with its output, but not its progress, on a terminal, and gives the lines that are shown there.
    private func shown(_ arguments: [String], columns: UInt16) async throws -> [String] {
        let terminal = try PseudoTerminal(columns: columns)
        let console = Console(
            outputDescriptor: terminal.slave, errorDescriptor: -1, environment: ["NO_COLOR": "1"])
        _ = await Records.program.run(arguments, console: console)
        return try terminal.read().split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(arguments: ["get --tree", "diff", "diff -s", "verify", "ls --sizes"], [24, 40, 80, 200])
    func noLineIsWiderThanTheTerminal(_ command: String, _ columns: UInt16) async throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        try folder.write(Self.lines.map { $0.replacing(#""name":""#, with: #""name":"not "#) }, to: "b.jsonl")
        var arguments = command.split(separator: " ").map(String.init) + [folder.path("a.jsonl")]
        if command == "get --tree" { arguments.append("School/\(Self.name)") }
        if arguments[0] == "diff" { arguments.append(folder.path("b.jsonl")) }
        let lines = try await shown(arguments, columns: columns)
        #expect(lines.count > 2)
        #expect(lines.filter { $0.displayWidth > Int(columns) } == [])
    }

    @Test func sentencesOfVerifyAreFolded() async throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        let narrow = try await shown(["verify", folder.path("a.jsonl")], columns: 40)
        let wide = try await shown(["verify", folder.path("a.jsonl")], columns: 1_000)
        #expect(narrow.joined() == wide.joined() && narrow.count > wide.count)
    }

    @Test func treeIsCutToTheTerminal() async throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        let lines = try await shown(["get", folder.path("a.jsonl"), "School/\(Self.name)", "--tree"], columns: 44)
        #expect(
            lines == [
                "School/山の上の学校-long-long-long-long-lon…",
                #"├─ a: Person/ada  title: "👩‍👩‍👧‍👦 and 🇯🇵, …"#,
                "│  └─ c: School/山の上の学校-long-long-long…",
                "└─ b: Person/山の上の学校-long-long-long-lo…", "",
            ])
    }
}
