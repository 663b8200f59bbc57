import Foundation
import NestedRecords
import NestedRecordsFile

extension Command {
    /// Changes records to the current form of their types.
    static let migrate = Command(
        name: "migrate",
        summary: "Renames record types and fields, and adds fields",
        discussion: """
            Prints how many records would be rewritten, and asks. Stop the writers, migrate, start the writers. A field is renamed if the record has no field of the new \
            name. A default is added if the field is missing; a null field is not missing. TYPE is the type before or \
            after renaming. A type ends at the last dot, so use TYPE/FIELD for a field name with a dot. VALUE is JSON: true, 7, '"text"', \
            '{"$date":"2030-01-01T00:00:00Z"}'. A type or a field that occurs neither before nor after renaming is a \
            usage error, unless the input has no records. So is an old name that no record has, if it looks like \
            a misspelled one.

            Records in their new form do not change, so an interrupted migration can be repeated. If a record cannot \
            be changed, nothing is changed: each such record is reported on a line, and the exit code is 1.
            """,
        examples: [
            Example(
                "records migrate school.records --type Student=Pupil --field Pupil.title=name --dry-run",
                "Show what would be done"),
            Example("records migrate school.records --default Person.active=true", "A new field for old records"),
        ],
        arguments: [.database],
        options: [
            .value("type", "t", as: "OLD=NEW", isRepeatable: true, "Rename a record type."),
            .value(
                "field", "f", as: "TYPE.OLD=NEW", isRepeatable: true, "Rename a field in the records of a type."),
            .value(
                "default", "d", as: "TYPE.FIELD=VALUE", isRepeatable: true,
                "Add a field to the records of a type that lack it."),
            .value("batch", "b", as: "COUNT", default: "1000", "Save this number of records at a time."),
            .yes, .dryRun, .noUndo,
        ]
    ) { arguments in
        let (migration, names) = try arguments.migration()
        let batchSize = try arguments.integer("batch", in: 1...Int.max)
        let isDryRun = try arguments.flag("dry-run")
        let path = try arguments.pathOfRecordFile("FILE")
        // Opening a database for writing creates it if it does not exist.
        let input = try await RecordInput(path)
        guard case .database(let reader) = input.source else {
            throw input.notWritable("is not a database; 'records copy' makes one of its records")
        }
        let hints = try await migration.check(names, in: reader, of: input)
        let hiddenCount = try await reader.recordCount() - reader.shownCount()
        let output = arguments.console.output
        func show(_ report: MigrationReport) async throws {
            try await output.whileRead {
                for failure in report.failures { try output.write("\(failure.id): \(failure.reason)".visible + "\n") }
                try output.write("\(input.name): \(report.summary(without: hiddenCount))".visible + "\n")
            }
        }
        var (report, undoable) = (MigrationReport?.none, UndoRecorder?.none)
        if try isDryRun || !arguments.flag("yes") {
            let plan = try await arguments.migrate(reader, migration, batchSize: batchSize, isDryRun: true)
            try await show(plan)
            if isDryRun || !plan.failures.isEmpty || plan.rewrittenCount == 0 { report = plan }
        }
        if report == nil {
            guard try arguments.isConfirmed("Rewrite these records?", otherwise: "nothing is rewritten") else {
                return .found
            }
            try await input.close()
            let database = try await arguments.undoable(arguments.openForWriting(path), isOneBatch: false)
            let done = try await arguments.migrateUnlessInterrupted(database, migration, batchSize: batchSize)
            guard let done else { return .interrupted }
            try await arguments.finish(database)
            undoable = database
            try await show(done)
            report = done
        }
        try arguments.printHints(hints)
        try undoable.map(arguments.printUndo)
        return report?.failures.isEmpty ?? true ? .done : .found
    }
}

extension RecordMigration {
    /// Checks that the types and the renamed fields in the options occur, before or after renaming: an interrupted
    /// migration can be repeated.
    ///
    /// - Returns: Hints about fields that occur only after renaming.
    /// - Throws: `UsageError`, also for a former name that looks like a misspelled one, and errors of reading.
    func check(
        _ names: [MigrationName], in database: any RecordDatabase, of input: RecordInput
    ) async throws -> [String] {
        var hints: [String] = []
        let present = Set(try await input.types(of: database))
        for name in names {
            let former = types.keys.filter { newType(of: $0) == name.type }
            let known = present.intersection(former + [name.type, newType(of: name.type) ?? name.type]).sorted()
            if known.isEmpty {
                let type = FieldCatalog.Name([name.type], of: "option '--\(name.option)'")
                try await FieldCatalog.checked([type], in: database, named: input.name)
            } else if let (former, new) = name.renamed {
                let (former, new) = (FieldPath([former]), FieldPath([new]))
                let field = FieldCatalog.Name(known, former, of: "option '--\(name.option)'")
                var catalog = FieldCatalog([field], in: database, named: input.name)
                do {
                    try await catalog.check()
                } catch let error as UsageError {
                    let nearest = catalog.nearestField(to: former, of: field)
                    guard nearest == nil || nearest == new.filterText, try await database.hasField(new, inTypes: known)
                    else { throw error }
                    hints.append("\(error)")
                }
            }
        }
        return hints
    }
}

extension RecordDatabase {
    /// Whether a record of one of some types has a field.
    fileprivate func hasField(_ path: FieldPath, inTypes types: [String]) async throws -> Bool {
        for type in types {
            let query = RecordQuery(type, where: .exists(path), limit: 1)
            if try await !page(query).records.isEmpty { return true }
        }
        return false
    }
}

/// A type or a field in an option of `migrate`.
struct MigrationName {
    let option: String
    let type: String

    /// The former and the new name of a field.
    var renamed: (former: String, new: String)?
}

extension MigrationReport {
    /// The counts on one line.
    ///
    /// - Parameter hiddenCount: The number of records that the library and `nest` need.
    fileprivate func summary(without hiddenCount: Int) -> String {
        let moved = movedCount == 0 ? "" : " (\(movedCount.grouped) with another type)"
        let failed = failures.isEmpty ? "" : ", \(failures.count.grouped) not changed"
        let verb = isDryRun ? "would be rewritten" : "rewritten"
        return "\((examinedCount - hiddenCount).countedRecords), "
            + "\(rewrittenCount.grouped) \(verb)\(moved)\(failed)"
    }
}

extension ParsedArguments {
    /// Migrates a database, and says on standard error if a signal has interrupted it.
    ///
    /// - Returns: The report; nil after an interruption.
    fileprivate func migrateUnlessInterrupted(
        _ database: UndoRecorder, _ migration: RecordMigration, batchSize: Int
    ) async throws -> MigrationReport? {
        let (done, count) = (Lock(MigrationReport?.none), Lock(0))
        try await Interruption.cancelling {
            let report = try await migrate(
                database, migration, batchSize: batchSize, isDryRun: false, count: count)
            done.withLock { $0 = report }
        }
        if let report = done.withLock({ $0 }) { return report }
        console.statusLine.clear()
        try await finish(database.database)
        console.statusLine.print(
            "\(program.name): interrupted; \(count.withLock { $0 }.countedRecords) rewritten; run the same command to "
                + "continue")
        return nil
    }

    /// Migrates a database with a progress bar.
    ///
    /// - Parameter count: The number of rewritten records, also if an error ends the migration.
    fileprivate func migrate(
        _ database: any RecordDatabase, _ migration: RecordMigration, batchSize: Int, isDryRun: Bool,
        count: Lock<Int> = Lock(0)
    ) async throws -> MigrationReport {
        let bar = bar("Rewriting", total: nil)
        defer { bar.finish() }
        return try await database.migrate(migration, batchSize: batchSize, isDryRun: isDryRun) { report in
            bar.advance(
                by: count.withLock { count in
                    defer { count = report.rewrittenCount }
                    return report.rewrittenCount - count
                })
        }
    }
}
