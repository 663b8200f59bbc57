import NestedRecords

extension Command {
    /// The number of changes that are shown before a question.
    private static let listedCount = 5

    /// Takes the change of a command back.
    static let undo = Command(
        name: "undo",
        summary: "Takes back the last change, or lists the changes that can be taken back",
        discussion: """
            Takes back what 'set', 'edit', 'delete', 'copy', 'migrate', 'flatten --into' and 'browse' have \
            changed: the last step, or the step with the number in --list. It prints the changes, and asks. All of a step \
            is taken back, or nothing: a record that was changed again since then prevents it, and so does a later \
            reference to a record that would be deleted, and a unique value that another record has taken. To undo \
            twice is to redo.

            These commands save the former records in the database, in the commit of the change: a step takes about as \
            many bytes as the records before it, and some 50 for each new one. The last \
            \(UndoStep.maximumCount) steps are kept, with at most \(UndoStep.maximumByteCount >> 20) MB. A change \
            that needs more asks, or needs --no-undo. A command that fills an empty database keeps no step. If a command \
            of several batches ends early, its step is partial, and has what was done. Copies and comparisons leave steps \
            out, and 'records compact --forget' removes them.

            Record files, SQLite databases and PostgreSQL servers keep steps. Others do not: they cannot take back any \
            number of records in one commit.
            """,
        examples: [
            Example("records undo school.records", "Take back the last change, after a question"),
            Example("records undo school.records --list", "The steps"),
            Example("records undo school.records 2 --dry-run", "What the step before the last one would take back"),
        ],
        arguments: [
            .database, Argument("STEP", "The number of the step in --list (default: 1, the last).", .optional),
        ],
        options: [
            .flag("list", nil, "List the steps, the last one first."), .yes,
            .flag("dry-run", nil, "Change nothing, and print what would be done."), .noUndo,
        ]
    ) { arguments in
        let number = try arguments.integerIfPresent("STEP", in: 1...UndoStep.maximumCount)
        let input = try await arguments.databaseInput()
        let reader = try input.database()
        guard UndoStep.areKept(by: reader) else {
            throw InputError(input: input.name, reason: "keeps no steps: a commit has a limited size")
        }
        let (output, steps) = (arguments.console.output, try await UndoStep.all(in: reader))
        if try arguments.flag("list") {
            var table = Table(header: UndoStep.header, terminal: arguments.console.outputTerminal)
            for (index, step) in steps.enumerated() { try output.write(table.add(step.row(index + 1))) }
            try output.write(table.finish())
            return .done
        }
        guard let step = steps.dropFirst((number ?? 1) - 1).first else {
            let reason =
                steps.isEmpty ? "does not have a step to undo" : "has only \(steps.count.counted("step")) to undo"
            throw InputError(input: input.name, reason: reason)
        }
        let plan = try await UndoPlan(step, in: reader, named: input.name)
        let (isDryRun, verb) = (try arguments.flag("dry-run"), step.isUndone ? "redo" : "undo")
        if try isDryRun || !arguments.flag("yes") {
            let lines = plan.lines(within: arguments.console.outputTerminal.width)
            let count = isDryRun ? lines.count : min(lines.count, listedCount)
            try output.write(lines.prefix(count).joined())
            if count < lines.count { try output.write("… \((lines.count - count).grouped) more\n") }
            let part = step.isComplete ? "" : ", which ended early"
            try output.write("\(lines.count.countedRecords) to change, to \(verb) '\(step.command)'\(part)\n")
        }
        if isDryRun { return .done }
        guard try arguments.isConfirmed("Change these records?", otherwise: "nothing is changed") else { return .found }
        // Only now: while a question waits for its answer, others can write.
        try await input.close()
        let inverse = UndoStep(of: step.command, isComplete: step.isComplete, isUndone: !step.isUndone)
        let database = try await UndoRecorder(
            arguments.existingDatabase(), named: input.name, for: arguments.flag("no-undo") ? nil : inverse,
            console: arguments.console)
        _ = try await plan.batch.commitClaiming(in: database)
        let hints = try await database.hintsAboutReferences(in: plan.batch.saves, before: plan.replaced)
        // A step that ended early stays partial.
        try await arguments.finish(database.database)
        try output.write("\(plan.count.countedRecords) changed, to \(verb) '\(step.command)'\n")
        try arguments.printHints(hints)
        try arguments.printUndo(of: database)
        return .done
    }
}

extension UndoStep {
    fileprivate static let header = ["step", "date", "command", "records", "bytes", "first", "state"]

    fileprivate func row(_ number: Int) -> [Table.Cell] {
        let states = [isUndone ? "undone" : nil, isComplete ? nil : "partial"].compactMap(\.self)
        return [
            .number("\(number)"), .text(Record.Value.date(date).plainText), .text(command), .number(count.grouped),
            .number(byteCount.grouped), .text(first), .text(states.joined(separator: ", ")),
        ]
    }
}
