@testable import records

extension Program {
    /// A program with options and arguments of every kind, whose commands print what they were given.
    static let sample = Program(
        name: "records", summary: "Looks into records", version: "1.2.3",
        commands: [.dump, .get, .graph, .fail, .completions])
}

extension Command {
    fileprivate static let dump = Command(
        name: "dump",
        summary: "Prints the records of a file",
        discussion: """
            Records come in the order of the file,
            or sorted.

            A second paragraph.
            """,
        examples: [
            Example("records dump school.records --type Person", "The people of a school"),
            Example("records dump - < lines.jsonl", "Records from standard input"),
        ],
        arguments: [Argument("FILE", "A record file, or '-'.", kind: .file)],
        options: [
            .value(
                "format", "f", as: "FORMAT", kind: .choice(["table", "jsonl", "json", "csv"]), default: "table",
                "How to print."),
            .value("where", "w", as: "CONDITION", isRepeatable: true, "Only records for which this holds."),
            .value("limit", "n", as: "COUNT", "At most so many records."),
            .value("into", as: "FILE", kind: .file, "Where to print to."),
            .flag("verbose", "v", "Print more."),
            .flag("quiet", "q", "Print less."),
        ],
        run: printValues)

    fileprivate static let get = Command(
        name: "get", summary: "Prints some records", examples: [],
        arguments: [Argument("FILE", "A file.", kind: .file), Argument("ID", "The records.", .repeated)],
        run: printValues)

    fileprivate static let graph = Command(
        name: "graph", summary: "Draws records", examples: [],
        arguments: [Argument("FILE", "A file.", kind: .file), Argument("ROOT-ID", "Where to start.", .optional)],
        run: printValues)

    fileprivate static let fail = Command(
        name: "fail", summary: "Fails", examples: [], arguments: [Argument("HOW", "In which way.")]
    ) { arguments in
        try arguments.console.output.write("before\n")
        switch try arguments.text("HOW") {
        case "pipe": throw BrokenPipe()
        case "usage": throw UsageError("that does not\nwork")
        case "none": return .found
        case let how: throw SampleError(description: how)
        }
    }

    @Sendable private static func printValues(_ arguments: ParsedArguments) throws -> ExitStatus {
        for argument in arguments.command.arguments {
            try arguments.console.output.write("\(argument.name) \(try arguments.texts(argument.name))\n")
        }
        for option in arguments.command.options {
            let value = option.takesValue ? "\(try arguments.texts(option.name))" : "\(try arguments.flag(option.name))"
            try arguments.console.output.write("--\(option.name) \(value)\n")
        }
        return .done
    }
}

struct SampleError: Error, CustomStringConvertible {
    var description: String
}
