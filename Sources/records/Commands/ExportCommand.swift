import NestedRecords
import NestedRecordsFile

extension Command {
    /// Prints all records as lines.
    static let export = Command(
        name: "export",
        summary: "Prints the records of a file as lines of typed JSON",
        discussion: """
            Each line is a complete record; 'import' restores the same records from the lines. --type and --where select
            records as with 'query'. With --assets, the contents of their assets become files in a folder, which
            'import --assets' reads.

            With --salvage, the command reads what is undamaged in a damaged record file. It prints the newest undamaged
            version of every record, and reports each damage on standard error. The exit code is 1 if needed data is
            damaged.
            """,
        examples: [
            Example("records export school.records > school.jsonl", "All records in a file of lines"),
            Example("records export school.records --assets photos > school.jsonl", "Records and files"),
            Example("records export damaged.records --salvage > saved.jsonl", "Undamaged records"),
        ],
        arguments: [.records],
        options: FilterOptions.options + [
            .value("assets", nil, as: "FOLDER", "Write the contents of assets to this folder, a file for each."),
            .flag("salvage", nil, "Read the undamaged records of a damaged record file."),
        ]
    ) { arguments in
        let selection = try FilterOptions(arguments)
        if try arguments.flag("salvage") { return try await salvage(arguments, selection) }
        let input = try await arguments.input()
        let folder = try arguments.textIfPresent("assets").map { AssetFolder(path: $0) }
        let store = try folder.map { _ in RecordStore(try input.database()).assets }
        let progress = try await arguments.progress("Exporting", of: input, types: selection.types)
        defer { progress?.finish() }
        var printer = LinePrinter(output: arguments.console.output)
        func print(_ record: Record) async throws {
            if let folder, let store { try await folder.write(contentsOf: record, from: store) }
            try printer.print(record)
            progress?.advance()
        }
        if selection.isEmpty {
            try await input.naming {
                for try await record in input.records(withDocument: true) { try await print(record) }
            }
        } else {
            var isFound = false
            try await QueryOptions(filter: selection).forEach(in: input) { record in
                try await print(record)
                isFound = true
            }
            if input.canBeReadAgain {
                try await arguments.printHints(for: selection, foundRecords: isFound, in: input.recordsAgain)
            }
        }
        return .done
    }

    /// Prints the undamaged records, and reports the damage.
    private static func salvage(
        _ arguments: ParsedArguments, _ selection: FilterOptions
    ) async throws -> ExitStatus {
        for option in ["where", "assets"] where arguments.isGiven(option) {
            throw UsageError("option '--\(option)' cannot be given together with '--salvage'")
        }
        let path = try arguments.pathOfRecordFile("FILE")
        let salvage = try await arguments.showing("Reading") { try await FileRecordDatabase.salvage(from: path) }
        var printer = LinePrinter(output: arguments.console.output)
        try await arguments.console.output.whileRead {
            for try await record in salvage.records
            where selection.includes(type: record.id.type) && !record.id.isOfAssets {
                try printer.print(record)
            }
        }
        for problem in salvage.problems { arguments.console.statusLine.print("\(path): \(problem)".visible) }
        let count = "\(salvage.recordCount.grouped) \(salvage.recordCount == 1 ? "record is" : "records are")"
        let isDamaged = salvage.problems.contains { !$0.isDead }
        if isDamaged {
            arguments.console.statusLine.print("\(arguments.program.name): \(path): \(count) undamaged".visible)
        }
        return isDamaged ? .found : .done
    }
}
