import NestedRecords

extension Command {
    /// The number of changes that are shown before a question.
    private static let listedCount = 10

    /// Changes fields of records.
    static let set = Command(
        name: "set",
        summary: "Changes fields of records",
        discussion: """
            \(Assignment.help) FIELD+=VALUE adds an element to a list. A reference to a record that does not exist is \
            saved, and reported on standard error.

            The records are those with an ID, or all of a type that match the filters. All are saved or none. A record \
            that another program changes in between is an error, and nothing is saved.

            Before it changes records that a filter selects, the command prints the first \(listedCount) changes and their number, and \
            asks. With --dry-run it prints all changes.
            """,
        examples: [
            Example("records set school.records Person/ada name='Ada Fern' age:=41", "Two fields, of which one is new"),
            Example(
                "records set school.records School/hilltop 'location=57.05;-5.13'", "Quotes for signs of the shell"),
            Example("records set school.records School/hilltop books+=Book/2", "One more element of a list"),
            Example("records set school.records Book/1 'languages:=[\"en\", \"gd\"]'", "A whole list"),
            Example(
                "records set world.sqlite --type City --where 'state = \"Bavaria\"' state=Bayern",
                "A field of all records that match, after a question"),
        ],
        arguments: [
            .database, Argument("ID-OR-FIELD=VALUE", "Records to change, and their new fields.", .any, kind: .id),
        ],
        options: FilterOptions.options + [
            .value("unset", "u", as: "FIELD", kind: .field, isRepeatable: true, "Remove this field."),
            .yes,
            .flag("dry-run", "n", "Change nothing, and print what would be done."),
        ],
        topics: .filters
    ) { arguments in
        let (ids, assignments) = try arguments.idsAndAssignments("ID-OR-FIELD=VALUE")
        let removed = try arguments.texts("unset")
        guard !assignments.isEmpty || !removed.isEmpty else { throw UsageError("there is no FIELD=VALUE to set") }
        try Assignment.check(assignments, removed: removed)
        let selection = try FilterOptions(arguments)
        let input = try await arguments.databaseInput()
        let found = try await arguments.records(ids, selection, in: input)
        var examples = try FieldExamples(input)
        var edited: [Record] = []
        for var record in found {
            for assignment in assignments { try await assignment.apply(to: &record, like: &examples) }
            for field in removed {
                if record[field] == nil {
                    _ = try await examples.value(of: field, inType: record.id.type, for: "option '--unset'")
                }
                record[field] = nil
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
        let asks = ids.isEmpty && !isDryRun && !changed.isEmpty
        if asks {
            if try !arguments.flag("yes") { try show(listedCount, "to change") }
            guard try arguments.isConfirmed("Change these records?", otherwise: "nothing is changed") else {
                return .found
            }
        }
        let hints = try await input.database().hintsAboutReferences(in: changed, before: difference.changed.map(\.old))
        if !isDryRun, !changed.isEmpty {
            // Only now: while a question waits for its answer, others can write.
            try await input.close()
            let database = try await arguments.existingDatabase()
            _ = try await database.commit(RecordBatch(saving: changed, savePolicy: .ifUnchanged))
            try await database.close()
        }
        try show(asks ? 0 : changed.count, isDryRun ? "would be changed" : "changed")
        try arguments.printHints(hints)
        return .done
    }
}

extension ParsedArguments {
    /// The records with these IDs, or without IDs those of a selection.
    ///
    /// - Throws: `UsageError` for both or neither, and for a condition that excludes no record because of the kind of its
    ///   value, and ``InputError`` for a missing record.
    func records(
        _ ids: [Record.ID], _ selection: FilterOptions, in input: RecordInput
    ) async throws -> [Record] {
        let isSelected = try textIfPresent("type") != nil
        guard isSelected != !ids.isEmpty, try isSelected || texts("where").isEmpty else {
            throw UsageError("'\(command.name)' needs IDs, or '--type' with or without '--where'")
        }
        if isSelected {
            var found: [Record] = []
            try await QueryOptions(filter: selection).forEach(in: input) { found.append($0) }
            // All records: a condition that excludes none by mistake would change too many.
            let database = try input.database()
            let hints = KindHints(
                conditions: selection.conditions, sampleSize: .max, records: { database.records(ofType: $0) })
            let lines = try await hints.lines(foundRecords: !found.isEmpty)
            if !found.isEmpty, let line = lines.first { throw UsageError("option '--where': \(line)") }
            try printHints(lines)
            return found
        }
        let found = try await input.database().recordsByID(for: ids)
        let missing = ids.filter { found[$0] == nil }
        guard missing.isEmpty else { throw try await input.missing(missing) }
        return ids.compactMap { found[$0] }
    }
}
