import NestedRecords

extension Command {
    /// Finds records, in pages.
    static let query = asking(
        "query", summary: "Finds records, counts them, groups them",
        discussion: """
            On a terminal the output is a table, otherwise lines of typed JSON, which 'import' reads; with --ids lines
            with IDs, with --count a number, with --group-by and --summarize a line for each group. Without --type, and
            with several types, the answer is about all records together.

            Groups have the columns group and count, with --summarize also numbers, sum, average, min and max, by which
            --sort sorts them. The paths of --fields, --group-by and --summarize may lead through lists and references,
            also against references: '^State.name' is the name of each State that refers to the record. Of several
            values, --fields prints a list, and the record is in a group for each. In tables and csv, averages are
            rounded to six decimals, between -1 and 1 to six digits.

            With one --type, the records are sorted by --sort, then by the bytes of their names; a missing value is less
            than all others. If there are more records than --limit, the last line on standard error is 'next: CURSOR',
            printed after all records. With --after=CURSOR, and the same type, filters and order, the command prints the
            next page. No record is repeated or left out, even if other records were saved or deleted. Without one
            --type, records are printed as 'dump' prints them.

            With --json the output is one object: {"records": […], "next": "CURSOR"}, or {"ids": […], "next": "CURSOR"},
            where next is null on the last page, or {"count": NUMBER}, or {"summaries": […]}.

            Pages are held in memory; without --limit the page has all records of the type. A type or a field that occurs
            in no record is a usage error with exit code 2, unless the input has no records. If no record is found, a
            hint on standard error says which condition is about values of another kind.
            """,
        examples: [
            Example("records query school.records --type Book --where 'title~atlas' --count", "Their number"),
            Example("records query school.records --type Student --limit 1 --json", "A page with its cursor"),
            Example("records query school.records -t Book --group-by ^Student.name", "The number of books by reader"),
        ],
        pageOptions: [
            .value("after", as: "CURSOR", "Continue after this cursor, from the previous page."),
            .flag("json", nil, "Print one JSON object that contains the cursor of the next page."),
        ])

    /// Prints records, in the order of the input.
    static let dump = asking(
        "dump", summary: "Prints the records of a file",
        discussion: """
            This is 'query' without pages: records are printed one by one in the order of the input, or of --sort, where
            a missing value is less than all others. If standard output is not a terminal, the default is lines of typed
            JSON, which 'import' reads. A record is printed if all filters hold. Records are held in memory with --sort,
            with paths in lines that lead into maps, lists or other records, and with csv from standard input.

            A type or a field that occurs in no record is a usage error, unless the input has no records.
            """,
        examples: [
            Example("records dump school.records", "All records as tables"),
            Example("records dump school.records --type Person --where 'born<2010-01-01'", "Those born before 2010"),
            Example("records dump school.records -t Book -f csv --fields title,cover", "Books for a spreadsheet"),
        ],
        pageOptions: [])

    /// A command that finds records, with pages if it has the options for them.
    private static func asking(
        _ name: String, summary: String, discussion: String, examples: [Example], pageOptions: [Option]
    ) -> Command {
        let options: [Option] =
            QueryOptions.options + pageOptions + [
                .flag("count", nil, "Print the number of records."),
                .flag("explain", nil, "Print how the records are found, and find none."),
                RecordFormat.option([.table, .jsonl, .json, .csv]),
                .value(
                    "group-by", as: "FIELD", kind: .field,
                    "Print the number of records with each value of this field; see --sort and --limit."),
                .flag(
                    "guard-formulas", nil,
                    "In csv, put an apostrophe before strings that a spreadsheet would read as formulas."),
                .flag("ids", nil, "Print only the IDs of the records."),
                .value(
                    "summarize", as: "FIELD", kind: .field, "Print the sum, average, minimum and maximum of this field."
                ),
            ]
        return Command(
            name: name, summary: summary, discussion: discussion, examples: examples, arguments: [.records],
            options: options, isPaged: true, topics: .filters
        ) { arguments in
            try await QueryAnswer(arguments, hasPages: !pageOptions.isEmpty).print()
            return .done
        }
    }
}
