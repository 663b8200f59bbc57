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
            Without a name in TYPE/NAME the record gets a new UUID. A record that exists is an error. VALUE is a \
            number, true, false, null, or otherwise a string; FIELD:=JSON sets a value of any kind in typed JSON.
            """,
        examples: [
            Example("records new school.records Person/eve name='Eve Reed' age=30", "A record with two fields"),
            Example(
                "records new school.records Loan 'book:={\"$ref\":\"Book/1\"}'",
                "A record with a reference and a new name"),
        ],
        arguments: [
            .database, Argument("TYPE[/NAME]", "The type of the record, and its name."),
            Argument("FIELD=VALUE", "Its fields.", .any),
        ]
    ) { arguments in
        let text = try arguments.text("TYPE[/NAME]")
        let id = try arguments.id(text.unicodeScalars.contains("/") ? text : "\(text)/\(UUID().uuidString)")
        var record = try Record(id: id, fields: [:])
        for word in try arguments.texts("FIELD=VALUE") {
            guard let assignment = Assignment(word) else {
                throw UsageError("'\(word.shortened)' is not FIELD=VALUE")
            }
            try assignment.apply(to: &record)
        }
        let database = try await arguments.existingDatabase()
        _ = try await database.commit(RecordBatch(saving: [record], savePolicy: .ifUnchanged))
        try await database.close()
        try arguments.console.output.write("\(id)".visible + "\n")
        return .done
    }
}
