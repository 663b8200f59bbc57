import NestedRecords
import NestedRecordsFile

extension Command {
    /// Copies records from one database to another one.
    static let copy = Command(
        name: "copy",
        summary: "Copies all records to another database, and verifies the copy",
        discussion: """
            FROM and TO are paths or addresses: record files, databases of SQLite, and PostgreSQL servers; FROM can be
            lines, too, which are held in memory. A file shows itself what it is. A new one becomes a database of SQLite
            if its name ends with .sqlite, .sqlite3 or .db, and otherwise a record file.

            The address of a server is postgresql://USER@HOST:PORT/DATABASE?PARAMETERS, as libpq reads it, with the
            parameter schema=NAME for the schema of the tables (nested_records without it). Passwords are better kept in
            ~/.pgpass or in PGPASSWORD: other users of a machine see command lines. None is printed.

            A record that TO has with the same content stays as it is, so a copy that was interrupted goes on when it is
            repeated. Where TO has it with other content, the copy ends with an error that names it, or replaces it with
            --overwrite. Records that are only in TO stay, and are counted. Records are saved in batches of at most
            1,000 records and about 4 MB, each whole or not at all, also if the copy is interrupted.

            Content is the ID and the fields, to the last bit, whatever the order of fields. The copies get change tags
            of their own, and the present as the dates of creation and modification. So do those of 'records import'.

            At the end all records are read again and compared with those of TO; the digest is a number for their
            content, which is equal for equal records wherever they are. The exit code is 0 only if that was done
            without a difference: not, for instance, if FROM was changed meanwhile.
            """,
        examples: [
            Example("records copy school.records school.sqlite", "From a record file to SQLite"),
            Example(
                "records copy school.sqlite 'postgresql://ada@db.example.com/school?schema=hilltop'",
                "From SQLite to a server"),
        ],
        arguments: [
            Argument("FROM", "The records: a path or an address.", kind: .file),
            Argument("TO", "Where to copy them; it is made if it is not there.", kind: .file),
        ],
        options: [
            .flag("overwrite", nil, "Replace records that are there with other content."),
            .flag("progress", nil, "Print on standard error how far it has come, where that is no terminal."),
        ]
    ) { arguments in
        let path = try arguments.pathOfRecordFile("TO")
        let from = try arguments.text("FROM")
        if from == path { throw UsageError("FROM and TO are the same") }
        let input = try await undamagedInput(from)
        let source = NamedDatabase(database: try input.database(), input: input)
        let target = try await arguments.openForWriting(path)
        let (isLoud, count) = (try arguments.flag("progress"), try await input.count())
        let bar: @Sendable (String) -> ProgressBar = {
            ProgressBar($0, total: count, on: arguments.console.statusLine, printsLines: isLoud)
        }
        let start = RecordCopy(
            from: source, named: input.name, to: target, named: try ServerAddress.shown(path),
            overwrites: try arguments.flag("overwrite"))
        let state = Lock((copy: start, digest: RecordDigest?.none, otherCount: 0))
        do {
            try await Interruption.cancelling {
                var copy = start
                defer { state.withLock { $0.copy = copy } }
                try await copy.copy(progress: bar("Copying"))
                let digest = try await copy.verify(progress: bar("Verifying"))
                let otherCount = try await target.recordCount() - digest.count
                state.withLock { ($0.digest, $0.otherCount) = (digest, otherCount) }
            }
            try await target.close()
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
            arguments.console.statusLine.print(
                "\(arguments.program.name): interrupted; \(copy.counts.text), and the same command goes on".visible)
            return .interrupted
        }
        let output = arguments.console.output
        try output.write("\(copy.counts.text) from \(copy.sourceName) to \(copy.targetName)".visible + "\n")
        if otherCount > 0 {
            let verb = otherCount == 1 ? "stays" : "stay"
            try output.write("\(otherCount.countedRecords) only in \(copy.targetName), which \(verb)".visible + "\n")
        }
        try output.write("verified \(digest.count.countedRecords), digest \(digest)\n")
        return .done
    }

    /// The records to copy, or an error that names the record that keeps a file from being opened.
    private static func undamagedInput(_ path: String) async throws -> RecordInput {
        do {
            return try await RecordInput(path)
        } catch let error as RecordDatabaseError where error.code == .corrupt && error.offset != nil {
            let problems = try await FileRecordDatabase.salvage(from: path).problems
            guard let problem = problems.first(where: { !$0.isDead }) else { throw error }
            throw InputError(
                input: path,
                reason: "damaged at \(problem); 'records verify' lists all damage, and 'records export --salvage' "
                    + "prints what is undamaged")
        }
    }
}

extension RecordCopy.Counts {
    /// What was done, in words.
    fileprivate var text: String {
        var parts = ["\(copied.countedRecords) copied"]
        if replaced > 0 { parts.append("\(replaced.grouped) replaced") }
        if present > 0 { parts.append("\(present.grouped) there already") }
        return parts.joined(separator: ", ")
    }
}
