import NestedRecords

extension Command {
    /// Deletes records.
    static let delete = Command(
        name: "delete",
        summary: "Deletes records after showing the consequences",
        discussion: """
            Prints the records that would be deleted and the references to them, and asks. References of other records \
            prevent the deletion, unless an option says what becomes of them. A record of the plan that another \
            program changes in between is an error, and nothing is deleted.
            """,
        examples: [
            Example("records delete school.records Book/1 --clear", "A book, and the references to it"),
            Example("records delete world.sqlite City --where 'population < 100' --yes", "Without a question"),
        ],
        arguments: [
            .database, Argument("ID-OR-TYPE", "The records: IDs, or a type with a filter.", .repeated, kind: .id),
        ],
        options: RecordSelection.options + [
            .flag("cascade", nil, "Also delete the records that the deleted ones own."),
            .flag("contents", nil, "Also delete the records that only the deleted ones refer to."),
            .flag("clear", nil, "Remove the references of other records."),
            .flag("dangling", nil, "Keep the references of other records."),
            .yes, .dryRun, .noUndo,
        ]
    ) { arguments in
        let selection = try RecordSelection(arguments.texts("ID-OR-TYPE"), arguments)
        var options: DeletionOptions = []
        if try arguments.flag("cascade") { options.insert(.cascading) }
        if try arguments.flag("contents") { options.insert(.contents) }
        if try arguments.flag("clear") { options.insert(.clearing) }
        if try arguments.flag("dangling") { options.insert(.dangling) }
        let input = try await arguments.databaseInput()
        let records = try await selection.records(in: input, arguments)
        let plan = try await input.database().deletionPlan(for: records.map(\.id), options)
        let (isSure, isDryRun) = (try arguments.flag("yes"), try arguments.flag("dry-run"))
        let output = arguments.console.output
        if !isSure || isDryRun {
            try output.write(
                plan.description.unicodeScalars.split(separator: "\n").map { String($0).visible + "\n" }.joined())
        }
        if !isSure || isDryRun, !options.contains(.contents) {
            // The plan says what the deletion does, and not what it leaves without a reference.
            let whole = try await input.database().deletionPlan(for: records.map(\.id), options.union(.contents))
            let count = whole.ids.count - plan.ids.count
            if count > 0 {
                let (verb, pronoun) = count == 1 ? ("stays", "it") : ("stay", "them")
                try output.write(
                    "\(count.countedRecords) to which only these refer \(verb); '--contents' deletes \(pronoun) too\n")
            }
        }
        if isDryRun {
            if !plan.dangling.isEmpty, options.isDisjoint(with: [.clearing, .dangling]) {
                try arguments.printHints([
                    "these references would prevent the deletion; '--clear' removes them, and '--dangling' keeps them"
                ])
            }
            return .done
        }
        if let reference = plan.dangling.first, options.isDisjoint(with: [.clearing, .dangling]) {
            throw InputError(
                input: input.name,
                reason: "references prevent the deletion: \(reference.words); "
                    + "'--clear' removes such references, and '--dangling' keeps them")
        }
        guard try arguments.isConfirmed("Delete these records?", otherwise: "nothing is deleted") else { return .found }
        // Only now: while a question waits for its answer, others can write.
        try await input.close()
        let database = try await arguments.undoable(arguments.existingDatabase())
        let deleted = try await database.delete(plan)
        try await arguments.finish(database)
        try output.write("deleted \(deleted.count.countedRecords)\n")
        try arguments.printUndo(of: database)
        return .done
    }
}
