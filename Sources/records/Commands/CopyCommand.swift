import NestedRecords
import NestedRecordsFile

extension Command {
    /// Copies records from one database to another.
    static let copy = Command(
        name: "copy",
        summary: "Copies records to another database, and verifies the copy",
        discussion: """
            FROM and TO are paths or addresses (see 'records help addresses'): record files, SQLite databases,
            PostgreSQL servers, services of records, databases in Firestore and CloudKit, and lines of typed JSON. The
            tool detects the kind of an existing file. A new file becomes a SQLite database if its name ends with
            .sqlite, .sqlite3 or .db, and otherwise a record file.

            Records that TO already has with the same content are skipped, so an interrupted copy continues when the
            command is repeated. If TO has a record with other content, the copy ends with an error that names the
            record; --overwrite replaces it. Records that exist only in TO are kept, and are counted if all are copied.
            TYPE and --where select records as with 'query'; records that only these refer to are not copied. The state
            of synchronizations is copied to a database that has none, and not to others. Records are saved in batches of at most 1,000 records and about 4 MB. Each batch is saved completely or not at all, also if
            the copy is interrupted. The contents of assets are copied before the records, all of FROM.

            Content is the ID and the fields, compared bit by bit; the order of fields does not matter. The copies get
            new change tags, and the time of the copy as their creation and modification dates. At the end all records
            are read again and compared with those of TO. The digest is a number for the content of the records; equal
            records have equal digests in all databases. The exit code is 0 only if TO has all records of FROM with
            equal content. It is not 0 if, for instance, FROM changed during the copy.

            With '-' as TO the records are printed as lines of typed JSON; with '-' or a file of lines as FROM such
            lines are read. With --assets the contents of assets are in a folder beside the lines, a file for each. Lines
            are held in memory and saved all or none, except with --batch. With --if-unchanged a record is replaced only
            if both have the same change tag; a record without a change tag must be new. A record that occurs twice is
            saved once. A different record with the same ID is an error in the same batch; in a later batch it replaces
            the first one.

            With --salvage the command reads what is undamaged in a damaged record file. It prints the newest undamaged
            version of every record, with --assets also the contents that it names, and reports each damage on standard
            error. The exit code is 1 if needed data is damaged.
            """,
        examples: [
            Example("records copy school.records school.sqlite", "From a record file to SQLite"),
            Example(
                "records copy school.sqlite 'postgresql://ada@db.example.com/school?schema=hilltop'",
                "From SQLite to a server"),
            Example("records copy 'firestore://school-1f0c2' school.records", "From Firestore to a record file"),
            Example("records copy school.records - > school.jsonl", "Lines of typed JSON"),
            Example("records copy - school.records < school.jsonl", "The same records again, all or none"),
            Example("records copy damaged.records - --salvage > saved.jsonl", "Undamaged records"),
        ],
        arguments: [
            Argument(
                "FROM", "The records: a path, an address, or '-' for lines on standard input.", kind: .file,
                options: InputOptions.options),
            Argument(
                "TO", "The target, which is created if it does not exist: a path, an address, or '-' for lines.",
                kind: .file),
            .type,
        ],
        options: [
            FilterOptions.filterOption,
            .overwrite, .noUndo,
            .flag("if-unchanged", nil, "Save only new records, and records that did not change since they were read."),
            .value("batch", "b", as: "COUNT", "Save this number of lines at a time."),
            .value("assets", nil, as: "FOLDER", "The folder with the contents of the assets of lines."),
            .flag("salvage", nil, "Read the undamaged records of a damaged record file."),
            .flag("progress", nil, "Print the progress on standard error also if that is not a terminal."),
        ]
    ) { arguments in
        let (from, path) = (try arguments.text("FROM"), try arguments.text("TO"))
        if path == OpenFile.standardInput { return try await arguments.printLines() }
        try arguments.refuse(["salvage"], "'-' as TO")
        if from == path { throw UsageError("FROM and TO are the same") }
        let input = try await undamagedInput(from, try InputOptions(arguments))
        try arguments.printHints(input.notes)
        let selection = try FilterOptions(arguments)
        if case .lines = input.source, selection.isEmpty { return try await arguments.saveLines(of: input) }
        try arguments.refuse(["if-unchanged", "batch", "assets"], "all lines of a file as FROM")
        let all = try input.database()
        let records: any RecordDatabase = selection.isEmpty ? all : try await all.selecting(selection, of: input)
        let source = records.naming(input)
        let target = try await arguments.openForWriting(path, for: .writingForSQL)
        let undoable = try await arguments.undoable(target, at: path, isOneBatch: false, fills: true)
        let (isLoud, count) = (
            try arguments.flag("progress"), selection.isEmpty ? try await input.count() : nil
        )
        let bar: @Sendable (String) -> ProgressBar = {
            ProgressBar($0, total: count, on: arguments.console.statusLine, printsLines: isLoud)
        }
        // Only then: a look at the target may be a request.
        let hasState = try await input.isSynchronized() ? try await target.isSynchronized() : false
        let start = RecordCopy(
            from: source, named: input.name, to: undoable, named: try ServerAddress.shown(path),
            overwrites: try arguments.flag("overwrite"), isSynchronized: hasState)
        let state = Lock((copy: start, digest: RecordDigest?.none, otherCount: 0))
        do {
            try await Interruption.cancelling {
                var copy = start
                defer { state.withLock { $0.copy = copy } }
                try await copy.copyAssets()
                try await copy.copy(progress: bar("Copying"))
                try await undoable.finish()
                let digest = try await copy.verify(progress: bar("Verifying"))
                let otherCount = selection.isEmpty ? try await target.shownCount() - digest.count : 0
                state.withLock { ($0.digest, $0.otherCount) = (digest, otherCount) }
            }
            // Not the step of 'undo': after an interruption it stays partial.
            try await arguments.finish(undoable.database)
        } catch {
            arguments.console.statusLine.clear()
            try? await target.close()
            let (saved, name) = state.withLock { ($0.copy.counts.saved, $0.copy.targetName) }
            if saved > 0 { throw PartialSave(target: name, count: saved, reason: error) }
            throw error
        }
        arguments.console.statusLine.clear()
        let (copy, digest, otherCount) = state.withLock { $0 }
        guard let digest else {
            arguments.notify("interrupted; \(copy.counts.text); run the same command to continue")
            return .interrupted
        }
        let output = arguments.console.output
        try output.write("\(copy.counts.text) from \(copy.sourceName) to \(copy.targetName)".visible + "\n")
        if otherCount > 0 {
            let verb = otherCount == 1 ? "stays" : "stay"
            try output.write("\(otherCount.countedRecords) only in \(copy.targetName), which \(verb)".visible + "\n")
        }
        try output.write("verified \(digest.count.countedRecords), digest \(digest)\n")
        try arguments.printUndo(of: undoable)
        try await arguments.printHints(for: selection, foundRecords: digest.count > 0, in: { all.records(ofType: $0) })
        return .done
    }

    /// The records to copy; for a damaged file, an error that names the damage.
    private static func undamagedInput(_ path: String, _ options: InputOptions) async throws -> RecordInput {
        do {
            return try await RecordInput(path, options: options)
        } catch let error as RecordDatabaseError where error.code == .corrupt && error.offset != nil {
            let problems = try await FileRecordDatabase.salvage(from: path).problems
            guard let problem = problems.first(where: { !$0.isDead }) else { throw error }
            throw InputError(
                input: path,
                reason: "damaged at \(problem); 'records verify' lists all damage, and 'records copy FILE - --salvage' "
                    + "prints what is undamaged")
        }
    }
}

extension ParsedArguments {
    /// Refuses options that only some copies have.
    func refuse(_ options: [String], _ form: String) throws {
        for option in options where isGiven(option) { throw UsageError("option '--\(option)' needs \(form)") }
    }
}

extension RecordCopy.Counts {
    /// The counts in words.
    fileprivate var text: String {
        var parts = ["\(copied.countedRecords) copied"]
        if replaced > 0 { parts.append("\(replaced.grouped) replaced") }
        if present > 0 { parts.append("\(present.grouped) already present") }
        return parts.joined(separator: ", ")
    }
}
