import NestedRecords

extension Command {
    /// Compares two inputs.
    static let diff = Command(
        name: "diff",
        summary: "Lists the records that were added, removed and changed",
        discussion: """
            Records of A alone are printed with a minus, those of B alone with a plus; of those that are in both with
            other content, the fields that differ. Contents are compared to the last bit: 0 and -0 differ, and so do
            texts in two Unicode spellings. Neither the order of records nor that of fields matters. On a terminal
            lines are cut to its width.

            The exit code is 1 if there is a difference. Record files of any size can be compared; lines are held in
            memory.
            """,
        examples: [
            Example("records diff monday.records tuesday.records", "What happened on Monday"),
            Example("records diff school.records - < lines.jsonl", "A record file against lines"),
        ],
        arguments: [
            Argument("A", "The older records: a record file, or lines of typed JSON, or '-'.", kind: .file),
            Argument("B", "The newer records, likewise.", kind: .file),
        ],
        options: [
            .flag("metadata", "m", "Compare change tags and dates of saving, too."),
            .flag("summary", "s", "Print the number of differences by type."),
        ]
    ) { arguments in
        if try arguments.text("A") == OpenFile.standardInput, try arguments.text("B") == OpenFile.standardInput {
            throw UsageError("A and B cannot both be standard input")
        }
        let (console, isSummary) = (arguments.console, try arguments.flag("summary"))
        let (old, new) = (try await arguments.input("A"), try await arguments.input("B"))
        let (oldCount, newCount) = (try await old.count(), try await new.count())
        let progress = arguments.bar("Comparing", total: oldCount.flatMap { old in newCount.map { old + $0 } })
        defer { progress.finish() }
        let comparison = RecordComparison(
            old: NamedDatabase(database: try old.database(), input: old),
            new: NamedDatabase(database: try new.database(), input: new),
            comparesMetadata: try arguments.flag("metadata"))
        var counts = DifferenceCounts()
        try await console.output.whileRead {
            try await comparison.forEachDifference(newCount: newCount, progress: progress) { difference in
                counts.add(difference)
                if !isSummary { try console.output.write(difference.text(within: console.outputTerminal.width)) }
            }
            if isSummary { try console.output.write(try counts.text(for: console.outputTerminal)) }
        }
        return counts.isEmpty ? .done : .found
    }
}
