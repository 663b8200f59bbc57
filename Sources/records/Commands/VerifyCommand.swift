@_spi(Engines) import NestedRecords
import NestedRecordsFile

extension Command {
    /// Checks records for damage and broken references.
    static let verify = Command(
        name: "verify",
        summary: "Checks records for damage and dangling references",
        discussion: """
            In a record file the command reads everything and compares the checksums. In a SQLite database it runs the
            check of SQLite, and reads every record and the indexes; on a PostgreSQL server it reads every record. Lines
            are held in memory; each must be a record, and lines with the same ID must be equal.
            In a database, the values of unique properties are compared with their claims; --mend makes missing claims,
            and deletes claims whose records no longer have the value. Nothing else is changed.
            The contents of assets are read and compared with their hashes; a record without a content is a problem.
            In all inputs, references to missing records are problems, and so are cycles of records that delete each
            other; with --root also records that cannot be reached from there.
            With --against, so are records of types that a list of types does not have. A line of the list is a record
            type, or a record type, a dot and the name of a field: 'Person' or 'Person.name'. If the list has fields of a
            type, other fields of its records are problems too. Types without records are reported and do not count.
            Empty lines and lines that begin with '#' are comments.

            Each problem is printed on a line, on a terminal cut to its width. More than ten of one kind in the records
            of a type, or in one of their fields, are one line with their number and the first; --all lists them. The
            last line is the result. The exit code is 1 if there are problems. Harmless damage, for instance in an older version of a record, is
            reported and does not count.
            """,
        examples: [
            Example("records verify school.records", "Check the file and all references"),
            Example("records verify school.records --mend", "Also mend the claims of unique values"),
            Example(
                "records verify world.records --root Planet/earth", "Also check that every record is reachable"),
            Example(
                "records verify school.records --against types.txt", "Also find types that a program does not read"),
        ],
        arguments: [.records],
        options: [
            .value(
                "root", "r", as: "ID", kind: .id, isRepeatable: true,
                "A record from which every record must be reachable."),
            .value(
                "against", "t", as: "LIST", kind: .file,
                "A list of the record types and fields that are read."),
            .flag("mend", "m", "Make missing claims of unique values, and delete those that are not used."),
            .flag("strict", "s", "Also count harmless damage."),
            .flag("all", "a", "List all problems, however many are of one kind."),
        ],
        isCheck: true,
        isPaged: true
    ) { arguments in
        let roots = try arguments.texts("root").map(arguments.id)
        let mends = try arguments.flag("mend")
        let listPath = try arguments.textIfPresent("against")
        if listPath == OpenFile.standardInput, try arguments.text("FILE") == OpenFile.standardInput {
            throw UsageError("FILE and LIST cannot both be standard input")
        }
        let list = try listPath.map(TypeList.init)
        var report = VerificationReport(
            console: arguments.console, isStrict: try arguments.flag("strict"), listsAll: try arguments.flag("all"))
        let input: RecordInput
        do {
            input = try await arguments.input()
        } catch let error as RecordDatabaseError where error.code == .corrupt && error.offset != nil {
            // Reads a file that cannot be opened in spite of its damage: it may have more damage than the error names.
            let path = try arguments.text("FILE")
            let salvage = try await arguments.showing("Comparing checksums") {
                try await FileRecordDatabase.salvage(from: path)
            }
            for problem in salvage.problems { try report.add("\(problem)", isHarmless: problem.isDead) }
            if report.problems == 0 { try report.add("\(error)") }
            try report.write(
                "the file cannot be opened, and 'records copy FILE - --salvage' prints what is undamaged: "
                    + salvage.recordCount.countedRecords)
            return try report.finish(records: nil)
        }
        return try await input.naming {
            switch input.source {
            case .database(let database):
                return try await report.check(database, roots: roots, mends: mends, list, arguments)
            case .document(let records):
                return try await report.check(records, roots: roots, mends: mends, list, arguments)
            case .lines(let file):
                let records = try report.readLines(of: file, progress: arguments.bar("Reading", total: nil))
                let loaded = LoadedRecords(records, name: input.name)
                return try await report.check(loaded, roots: roots, mends: mends, list, arguments)
            }
        }
    }
}

extension VerificationReport {
    /// Checks a database: first the stored data, then the references and the unique values.
    fileprivate mutating func check(
        _ database: any StoredDatabase, roots: [Record.ID], mends: Bool, _ list: TypeList?,
        _ arguments: ParsedArguments
    ) async throws -> ExitStatus {
        for (text, isHarmless) in try await arguments.showing("Looking for damage", while: database.damage) {
            try add(text, isHarmless: isHarmless)
        }
        do {
            let count = try await database.shownCount()
            try await checkDocuments(in: database)
            try await checkReferences(in: database, roots: roots) { arguments.bar($0, total: count) }
            if let list { try await checkTypes(in: database, list) }
            try await checkAssets(in: database)
            try await checkUniqueValues(in: database, mends: mends, arguments)
            return try finish(records: count)
        } catch  where problems > 0 && ErrorKind(of: error) == .damaged {
            // The damage was printed above.
            try write("references are not checked, since damaged records cannot be read")
            return try finish(records: nil)
        }
    }

    /// Checks the references of records in memory.
    fileprivate mutating func check(
        _ records: LoadedRecords, roots: [Record.ID], mends: Bool, _ list: TypeList?, _ arguments: ParsedArguments
    ) async throws -> ExitStatus {
        if mends { throw UsageError("option '--mend' needs a database") }
        try await checkDocuments(in: records)
        try await checkReferences(in: records, roots: roots) { arguments.bar($0, total: records.shownCount) }
        if let list { try await checkTypes(in: records, list) }
        return try finish(records: records.shownCount)
    }

    private mutating func checkTypes(in database: any RecordDatabase, _ list: TypeList) async throws {
        let (types, hasFields) = list.readTypes(among: try await RecordInput.counts(of: database).map(\.type))
        let report = try await database.typeReport(of: types, includingFields: hasFields)
        for problem in report.problems { try add(problem) }
        for note in report.notes { try add(note, isHarmless: true) }
    }

    /// Reads each content whole, and looks for assets without one.
    private mutating func checkAssets(in database: any StoredDatabase) async throws {
        guard database.assets != nil else { return }
        let store = RecordStore(database).assets
        var hashes: Set<String> = []
        try await store.forEachContent { content in
            hashes.insert(content.hash)
            if try await !store.isIntact(content) { try add("the content of the asset \(content.hash) is damaged") }
        }
        for try await record in database.records(ofType: nil) {
            for asset in record.assets where !hashes.contains(asset.hash) {
                try add("\(record.id) has the asset \(asset.hash), whose content is missing")
            }
        }
    }

    private mutating func checkUniqueValues(
        in database: any StoredDatabase, mends: Bool, _ arguments: ParsedArguments
    ) async throws {
        let problems: [UniqueValueProblem]
        if mends {
            try await database.close()
            let opened = try await arguments.openForWriting(arguments.text("FILE"))
            problems = try await opened.uniqueValueProblems(mending: true)
            try await opened.close()
        } else {
            problems = try await database.uniqueValueProblems()
        }
        try add(problems.map { Finding($0, isMended: mends && $0.kind != .duplicate) })
    }
}
