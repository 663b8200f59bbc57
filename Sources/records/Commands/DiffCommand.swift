import NestedRecords

extension Command {
    /// Compares two inputs.
    static let diff = Command(
        name: "diff",
        summary: "Lists the records that were added, removed and changed",
        discussion: """
            Prints records that are only in A with a minus, records that are only in B with a plus, and for records
            that are in both with other content the fields that differ. Numbers of equal value are equal, integers and
            floating-point numbers alike. Strings in different Unicode normalization forms differ. With --exactly,
            contents are compared bit by bit: 2 and 2.0 differ, and so do 0.0 and -0.0. The order of records and of
            fields does not matter, and what 'records sync' keeps for itself is not compared. On a terminal, lines are
            cut to its width.

            The exit code is 1 if there is a difference. Record files of any size can be compared; lines are held in
            memory.
            """,
        examples: [
            Example("records diff monday.records tuesday.records", "The changes of Monday"),
            Example("records diff school.records - < lines.jsonl", "A record file against lines"),
        ],
        arguments: [
            Argument("A", "The older records: a record file, or lines of typed JSON, or '-'.", kind: .file),
            Argument("B", "The newer records, likewise.", kind: .file),
        ],
        options: [
            InputOptions.referOption, .flag("exactly", nil, "Compare contents bit by bit."),
            .flag("metadata", "m", "Also compare change tags, creation dates and modification dates."),
            .flag("summary", "s", "Print the number of differences by type."),
        ],
        isCheck: true,
        isPaged: true
    ) { arguments in
        if try arguments.text("A") == OpenFile.standardInput, try arguments.text("B") == OpenFile.standardInput {
            throw UsageError("A and B cannot both be standard input")
        }
        let (console, isSummary) = (arguments.console, try arguments.flag("summary"))
        // The roots of two documents are compared, whatever the names of their files, and with the stored root of a database.
        // An address is the name of no document, and may have a password.
        let names = try [arguments.text("A"), arguments.text("B")].filter {
            try $0 != OpenFile.standardInput && ServerAddress($0) == nil
        }
        var old = try await arguments.input("A", documentName: names.first)
        let new = try await arguments.input("B", documentName: try await old.documentName() ?? names.first)
        if case .document = old.source, let name = try await new.documentName() {
            old = try await arguments.input("A", documentName: name)
        }
        let (oldRecords, newRecords) = try await arguments.showing("Reading") {
            (try old.database().naming(old), try new.database().naming(new))
        }
        let (oldCount, newCount) = (try await old.count(), try await new.count())
        let progress = arguments.bar("Comparing", total: oldCount.flatMap { old in newCount.map { old + $0 } })
        defer { progress.finish() }
        let comparison = RecordComparison(
            old: oldRecords, new: newRecords, comparesMetadata: try arguments.flag("metadata"),
            isExact: try arguments.flag("exactly"))
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
