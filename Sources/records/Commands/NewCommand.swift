import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Command {
    /// Adds a record.
    static let new = Command(
        name: "new",
        summary: "Adds a record",
        discussion: """
            Without a name in TYPE/NAME the record gets a new UUID. A record that exists is an error. If the other records \
            have their names in the field 'id', the new one has it too.

            \(Assignment.help) The first record of a type may have any fields; \
            with FIELD=VALUE they are numbers, true, false, null, dates, locations, and otherwise strings.
            """,
        examples: [
            Example("records new school.records Person/eve name='Eve Reed' age:=30", "A record with a new field"),
            Example(
                "records new school.records Loan book:=Book/1 'place:=57.05;-5.13' 'notes:=[\"due\", \"paid\"]'",
                "New fields: a reference, a location and a list; signs of the shell need quotes"),
        ],
        arguments: [
            .database, Argument("TYPE[/NAME]", "The type of the record, and its name."),
            Argument("FIELD=VALUE", "Its fields.", .any),
        ],
        options: [.flag("new-type", nil, "Add the record also if its type looks like a misspelled one.")]
    ) { arguments in
        let text = try arguments.text("TYPE[/NAME]")
        let id = try arguments.id(text.unicodeScalars.contains("/") ? text : "\(text)/\(UUID().uuidString)")
        let assignments = try arguments.texts("FIELD=VALUE").map { word in
            guard let assignment = Assignment(word) else {
                throw UsageError("'\(word.shortened)' is not FIELD=VALUE")
            }
            return assignment
        }
        try Assignment.check(assignments)
        let database = try await arguments.existingDatabase()
        let input = RecordInput(database, named: try ServerAddress.shown(arguments.text("FILE")))
        let types = try await input.types(of: database)
        if !types.contains(id.type), !(try arguments.flag("new-type")),
            let nearest = Spelling.nearest(to: id.type, in: types)
        {
            throw UsageError(
                "there is no type '\(id.type.shortened)' in \(input.name); did you mean '\(nearest)'? "
                    + "'--new-type' adds a type")
        }
        var record = try Record(id: id, fields: [:])
        try await record.fillID(like: database.page(RecordQuery(id.type, limit: 1)).records.first)
        var examples = try FieldExamples(input)
        for assignment in assignments { try await assignment.apply(to: &record, like: &examples) }
        try DocumentRecord.check([record], of: input.name)
        let spellings = try await database.hintsAboutSpellings(of: [id], in: input.name)
        _ = try await database.commit(RecordBatch(saving: [record], savePolicy: .ifUnchanged))
        let hints = try await database.hintsAboutReferences(in: [record], before: [])
        try await database.close()
        try arguments.console.output.write("\(id)".visible + "\n")
        try arguments.printHints(spellings + hints)
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
