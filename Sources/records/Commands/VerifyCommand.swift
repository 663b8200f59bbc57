import NestedRecords
import NestedRecordsFile

extension Command {
    /// Looks for everything that can be wrong with records.
    static let verify = Command(
        name: "verify",
        summary: "Looks for damage, and for references that lead nowhere",
        discussion: """
            Of a record file everything is read and compared with its checksums; in SQLite its own check, every record
            and the indexes are looked at, on a PostgreSQL server every record. Of lines, which are held in memory,
            each must be a record, and none may be another one than a line with the same ID.
            In all of them, references to records that are not there are problems, and cycles of records that take each
            other along when they are deleted; with --root also records that cannot be reached from there.

            Each problem is a line, on a terminal cut to its width; the last line is the result. The exit code is 1 if
            something is wrong. Damage of no consequence, as in an older version of a record, is told and does not
            count.
            """,
        examples: [
            Example("records verify school.records", "Check that everything is there as it was written"),
            Example(
                "records verify world.records --root Planet/earth", "Check also that everything belongs to the planet"),
        ],
        arguments: [.records],
        options: [
            .value("root", "r", as: "ID", isRepeatable: true, "A record that everything must be reachable from."),
            .flag("strict", "s", "Let damage of no consequence count."),
        ]
    ) { arguments in
        let roots = try arguments.texts("root").map(arguments.id)
        var report = VerificationReport(console: arguments.console, isStrict: try arguments.flag("strict"))
        let input: RecordInput
        do {
            input = try await arguments.input()
        } catch let error as RecordDatabaseError where error.code == .corrupt && error.offset != nil {
            // A file that cannot be opened is read in spite of its damage: there may be more than what the error names.
            let path = try arguments.text("FILE")
            let salvage = try await arguments.showing("Comparing checksums") {
                try await FileRecordDatabase.salvage(from: path)
            }
            for problem in salvage.problems { try report.add("\(problem)", isHarmless: problem.isDead) }
            if report.problems == 0 { try report.add("\(error)") }
            try report.write(
                "the file cannot be opened, and 'records export --salvage' prints what is undamaged: "
                    + salvage.recordCount.countedRecords)
            return try report.finish(records: nil)
        }
        return try await input.naming {
            switch input.source {
            case .database(let database):
                return try await report.check(database, roots: roots, arguments)
            case .lines(let file):
                let records = try report.readLines(of: file, progress: arguments.bar("Reading", total: nil))
                try await report.checkReferences(in: LoadedRecords(records, name: input.name), roots: roots) {
                    arguments.bar($0, total: records.count)
                }
                return try report.finish(records: records.count)
            }
        }
    }
}

extension VerificationReport {
    /// Checks a database, from what is stored to its references.
    fileprivate mutating func check(
        _ database: any StoredDatabase, roots: [Record.ID], _ arguments: ParsedArguments
    ) async throws -> ExitStatus {
        for (text, isHarmless) in try await arguments.showing("Looking for damage", while: database.damage) {
            try add(text, isHarmless: isHarmless)
        }
        do {
            let count = try await database.recordCount()
            try await checkReferences(in: database, roots: roots) { arguments.bar($0, total: count) }
            return try finish(records: count)
        } catch  where problems > 0 && ErrorKind(of: error) == .damaged {
            // Its line was printed before.
            try write("references are not checked, since damaged records cannot be read")
            return try finish(records: nil)
        }
    }
}
