extension Command {
    /// Finds records.
    static let query = Command(
        name: "query", summary: "Prints or counts records that match filters, or groups of them",
        discussion: """
            On a terminal the output is a table, otherwise a line of JSON for each record; with --ids lines with IDs, with
            --count a number, with --group-by and --summarize a line for each group. The formats are plain: references
            are IDs, dates are in ISO 8601, locations are 'latitude;longitude', bytes are in base64, and NaN is refused.
            Records begin with their IDs as @id unless one TYPE is chosen, or where --fields names @id. With --typed,
            nothing is lost, and 'copy' reads the lines.

            Groups have the columns count, and with --summarize also numbers, sum, average, min and max, by which
            --sort sorts them. The paths of --fields, --group-by and --summarize may lead through lists and references,
            also against references: '^State.name' is the name of each State that refers to the record. Of several
            values, --fields prints a list, and the record is in a group for each. In tables, csv, tsv and markdown,
            averages are rounded to six decimals, between -1 and 1 to six digits.

            The records of one TYPE of a database are sorted by --sort, then by the bytes of their names, and are held in
            memory; other records are printed in the order of the input, or of --sort. A missing value is less than all
            others. With --next and one TYPE, the last line on standard error is 'next: CURSOR' if there are more
            records than --limit; in the format json the output is one object: {"records": […], "next": "CURSOR"}, or
            {"ids": […], "next": "CURSOR"}, where next is null on the last page. With --after=CURSOR, and the same type,
            filters and order, the command prints the next page. No record is repeated or left out, even if other
            records were saved or deleted.

            A type or a field that occurs in no record is a usage error with exit code 2, unless the input has no records.
            If no record is found, a hint on standard error says which condition is about values of another kind.
            """,
        examples: [
            Example("records query school.records", "All records as tables"),
            Example("records query school.records Person --where 'born<2010-01-01'", "Those born before 2010"),
            Example("records query school.records Book --where 'title~atlas' --count", "Their number"),
            Example("records query school.records Book -f csv --fields @id,title,cover", "Books for a spreadsheet"),
            Example("records query school.records Book --group-by ^Student.name", "The number of books by reader"),
        ],
        arguments: [.records, .types],
        options: QueryOptions.options + [
            .value("after", as: "CURSOR", "Continue after this cursor, from the previous page."),
            .flag("next", nil, "Print the cursor of the next page."),
            .flag("count", nil, "Print the number of records."),
            .flag("explain", nil, "Print how the records are found, and find none."),
            .flag("fail-empty", nil, "End with exit code 1 if no record is found."),
            .value(
                "group-by", as: "FIELD", kind: .field, isRepeatable: true,
                "Print the number of records with each value of this field; see --sort and --limit."),
            .flag("ids", nil, "Print only the IDs of the records."),
            .value(
                "summarize", as: "FIELD", kind: .field, "Print the sum, average, minimum and maximum of this field."),
        ] + RecordOutput.options([.table, .jsonl, .json, .csv, .tsv, .markdown]),
        isPaged: true
    ) { arguments in
        let isFound = try await QueryAnswer(arguments).print()
        if !isFound, arguments.console.outputTerminal.isTerminal, try !arguments.flag("count") {
            arguments.console.statusLine.print("no records")
        }
        return try isFound || !arguments.flag("fail-empty") ? .done : .found
    }
}
