import Foundation
import NestedRecords

extension Command {
    /// The number of changes that are shown before a question.
    private static let listedCount = 5

    /// Changes fields of records, and adds a record.
    static let set = Command(
        name: "set",
        summary: "Changes fields of records, or adds a record",
        discussion: """
            \(Assignment.help) FIELD+=VALUE adds an element to a list. A full stop leads into a map or a location: \
            translations.de, place.latitude. A reference to a record that does not exist is saved, and reported on \
            standard error.

            The records are those with an ID, or those of a TYPE that match the filters. All are saved or none. A record \
            that another program changes in between is an error, and nothing is saved. Before it changes several \
            records, the command prints their number and the first \(listedCount) changes, and asks. With --dry-run it prints all \
            changes.

            With --new the command adds the record TYPE/NAME; TYPE alone gives it a new UUID. A record that exists is an \
            error. If the other records have their names in the field 'id', the new one has it too. The first record of a \
            type may have any fields; with FIELD=VALUE they are numbers, true, false, null, dates, locations, and \
            otherwise strings.
            """,
        examples: [
            Example("records set school.records Person/ada name='Ada Fern' age:=41", "Two fields, of which one is new"),
            Example(
                "records set school.records School/hilltop 'location=57.05;-5.13'", "Quotes for signs of the shell"),
            Example("records set school.records School/hilltop books+=Book/2", "One more element of a list"),
            Example("records set school.records Book/1 'languages:=[\"en\", \"gd\"]'", "A whole list"),
            Example(
                "records set world.sqlite City --where 'state = \"Bavaria\"' state=Bayern",
                "A field of all records that match, after a question"),
            Example("records set school.records --new Person/eve name='Eve Reed'", "A new record"),
        ],
        arguments: [
            .database,
            Argument(
                "ID-OR-TYPE-OR-FIELD=VALUE", "IDs or a type of records to change, and their new fields.", .repeated,
                kind: .id),
        ],
        options: RecordSelection.options + [
            .value("unset", "u", as: "FIELD", kind: .field, isRepeatable: true, "Remove this field."),
            .flag("new", nil, "Add a record."),
            .flag("new-type", nil, "Add a record also if its type looks like a misspelled one."),
            .yes, .dryRun, .noUndo,
        ]
    ) { arguments in
        var (words, assignments): ([String], [Assignment]) = ([], [])
        for word in try arguments.texts("ID-OR-TYPE-OR-FIELD=VALUE") {
            if let assignment = Assignment(word) { assignments.append(assignment) } else { words.append(word) }
        }
        let removed = try arguments.texts("unset")
        try Assignment.check(assignments, removed: removed)
        if try arguments.flag("new") || arguments.flag("new-type") {
            return try await arguments.addRecord(words, assignments)
        }
        guard !assignments.isEmpty || !removed.isEmpty else { throw UsageError("FIELD=VALUE is missing") }
        let selection = try RecordSelection(words, arguments)
        let input = try await arguments.databaseInput()
        let found = try await selection.records(in: input, arguments)
        var catalog = FieldCatalog(in: try input.database(), named: input.name)
        var edited: [Record] = []
        for var record in found {
            for assignment in assignments { try await assignment.apply(to: &record, in: &catalog) }
            for field in removed {
                let path = record.path(of: field)
                if path.value(in: record) == nil {
                    _ = try await catalog.example(of: path, inType: record.id.type, for: "option '--unset'")
                } else {
                    try record.set(nil, at: path)
                }
            }
            edited.append(record)
        }
        let difference = try RecordGraph(edited, roots: []).difference(from: RecordGraph(found, roots: []))
        let changed = difference.changed.map(\.new)
        try DocumentRecord.check(changed, of: input.name)
        let isDryRun = try arguments.flag("dry-run")
        let (output, width) = (arguments.console.output, arguments.console.outputTerminal.width)
        let kept = found.count - changed.count
        func show(_ count: Int, _ verb: String) throws {
            for change in difference.changes.prefix(count) {
                try output.write(
                    RecordDifference.changed(change.new.id, fields: change.fields, metadata: []).text(within: width))
            }
            if count > 0, count < changed.count { try output.write("… \((changed.count - count).grouped) more\n") }
            try output.write("\(changed.count.countedRecords) \(verb), \(kept.grouped) as before\n")
        }
        let asks = changed.count > 1 && !isDryRun
        if asks {
            if try !arguments.flag("yes") { try show(listedCount, "to change") }
            guard try arguments.isConfirmed("Change these records?", otherwise: "nothing is changed") else {
                return .found
            }
        }
        let hints = try await input.database().hintsAboutReferences(in: changed, before: difference.changed.map(\.old))
        var database: UndoRecorder?
        if !isDryRun, !changed.isEmpty {
            // Only now: while a question waits for its answer, others can write.
            try await input.close()
            let undoable = try await arguments.undoable(arguments.existingDatabase())
            _ = try await undoable.commit(RecordBatch(saving: changed, savePolicy: .ifUnchanged))
            try await arguments.finish(undoable)
            database = undoable
        }
        try show(asks ? 0 : changed.count, isDryRun ? "would be changed" : "changed")
        try arguments.printHints(hints)
        try database.map(arguments.printUndo)
        return .done
    }
}

extension ParsedArguments {
    /// Adds a record.
    ///
    /// - Throws: `UsageError`, also for options that select records, and errors of the database.
    fileprivate func addRecord(_ words: [String], _ assignments: [Assignment]) async throws -> ExitStatus {
        for option in ["where", "all", "unset"] where isGiven(option) {
            throw UsageError("option '--\(option)' cannot be given together with '--new'")
        }
        guard words.count == 1, let word = words.first else {
            throw UsageError("option '--new' needs one TYPE/NAME, or TYPE for a new UUID")
        }
        let id = try id(word.unicodeScalars.contains("/") ? word : "\(word)/\(UUID().uuidString)")
        let input = try await databaseInput()
        let database = try input.database()
        if try await database.record(for: id) != nil {
            throw InputError(
                input: input.name, reason: "record \(id) already exists; without '--new' the command changes its fields"
            )
        }
        let types = try await input.types(of: database)
        if !types.contains(id.type), !(try flag("new-type")), let nearest = Spelling.nearest(to: id.type, in: types) {
            throw UsageError(
                "there is no type '\(id.type.shortened)' in \(input.name); did you mean '\(nearest)'? "
                    + "'--new-type' adds a type")
        }
        var record = try Record(id: id, fields: [:])
        try await record.fillID(like: database.page(RecordQuery(id.type, limit: 1)).records.first)
        var catalog = FieldCatalog(in: database, named: input.name)
        for assignment in assignments { try await assignment.apply(to: &record, in: &catalog) }
        try DocumentRecord.check([record], of: input.name)
        let spellings = try await database.hintsAboutSpellings(of: [id], in: input.name)
        var hints: [String] = []
        if try flag("dry-run") {
            hints = try await database.hintsAboutReferences(in: [record], before: [])
            try console.output.write("\(id) would be added".visible + "\n")
        } else {
            try await input.close()
            let undoable = try await undoable(existingDatabase())
            _ = try await undoable.commit(RecordBatch(saving: [record], savePolicy: .ifUnchanged))
            // Only now: the record may refer to itself.
            hints = try await undoable.hintsAboutReferences(in: [record], before: [])
            try await finish(undoable)
            try console.output.write("\(id)".visible + "\n")
            try printUndo(of: undoable)
        }
        try printHints(spellings + hints)
        return .done
    }
}

extension Record {
    /// Sets the field `id` to the name if another record of the type has its own name there, from which Swift types read
    /// their identity.
    ///
    /// - Throws: `UsageError` if the other name is an integer and this one is not.
    fileprivate mutating func fillID(like other: Record?) throws {
        guard let other else { return }
        if case .string(let text)? = other["id"], text == other.id.name { self["id"] = .string(id.name) }
        guard case .int(let number)? = other["id"], "\(number)" == other.id.name else { return }
        guard let own = Int64(id.name), "\(own)" == id.name else {
            throw UsageError("the names of the type \(id.type) are integers, such as \(id.type)/\(number)")
        }
        self["id"] = .int(own)
    }
}
