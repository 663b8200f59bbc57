import NestedRecords
import NestedRecordsFile

extension Command {
    /// Lists, adds and removes indexes.
    static let index = Command(
        name: "index",
        summary: "Lists the indexes of a database, adds and removes them",
        discussion: """
            An index makes queries faster that compare or sort by its fields, and never changes results. An index by
            several fields serves queries by the first one, by the first two, and so on. 'records query --explain' shows
            which index a query uses. FIELD is written as in a filter: born, cover.colour, @modified.

            SQLite databases and servers keep their indexes, and every program that saves records maintains them. Record
            files keep none. On a server no index is removed.

            With --sql, the view readable_records of a SQLite database has the fields of each record as JSON, from now on;
            'records copy' writes them too. Tables on a server have them.
            """,
        examples: [
            Example("records index world.sqlite", "The indexes"),
            Example("records index world.sqlite City state population", "An index by two fields"),
            Example("records index world.sqlite --remove City name", "Remove an index"),
            Example("records index world.sqlite --sql", "Make the records readable with sqlite3"),
        ],
        arguments: [
            .database, Argument("TYPE", "The type of the indexed records.", .optional, kind: .type),
            Argument("FIELD", "The fields of the index, the most significant first.", .any, kind: .field),
        ],
        options: [
            .flag("remove", nil, "Remove the index."),
            .flag("sql", nil, "Write the fields of each record for SQL, now and with each save."),
        ]
    ) { arguments in
        let index = try arguments.fieldIndex()
        let removes = try arguments.flag("remove")
        if removes, index == nil { throw UsageError("option '--remove' needs TYPE and FIELD") }
        let forSQL = try arguments.flag("sql")
        if forSQL, index != nil || removes { throw UsageError("option '--sql' is not for one index") }
        let input = try await arguments.input()
        guard case .database(let database) = input.source, let present = try await database.fieldIndexes() else {
            let reason = "keeps no indexes: 'records copy' copies the records to a SQLite database or a server"
            throw InputError(input: input.name, reason: reason)
        }
        let output = arguments.console.output
        if forSQL {
            try await database.close()
            try await arguments.showing("Writing the fields") {
                try await arguments.openForWriting(try arguments.text("FILE"), for: .writingForSQL).close()
            }
            try output.write("\(input.name): the fields of each record are there for SQL".visible + "\n")
            return .done
        }
        guard let index else {
            var table = Table(header: ["type", "fields"], terminal: arguments.console.outputTerminal)
            for index in present { try output.write(table.add([.text(index.recordType), .text(index.fieldList)])) }
            try output.write(table.finish())
            return .done
        }
        guard present.contains(index) == removes else {
            let reason = removes ? "has no index \(index.text)" : "has the index \(index.text) already"
            throw InputError(input: input.name, reason: reason)
        }
        if !removes {
            let paths = index.paths.filter { !$0.names.isEmpty }
            let names = paths.map { FieldCatalog.Name([index.recordType], $0, of: "FIELD") }
            let type = FieldCatalog.Name([index.recordType], of: "TYPE")
            try await FieldCatalog.checked([type] + names, in: database, named: input.name)
        }
        try await database.close()
        try await arguments.showing(removes ? "Removing the index" : "Indexing") {
            try await arguments.setIndexes(removes ? present.filter { $0 != index } : present + [index], removes)
        }
        try output.write("\(input.name): \(removes ? "removed" : "added") the index \(index.text)".visible + "\n")
        return .done
    }
}

extension FieldIndex {
    /// The fields in the filter language.
    fileprivate var fieldList: String { paths.map(\.filterText).joined(separator: ", ") }

    /// The type and the fields.
    fileprivate var text: String { "\(recordType) by \(fieldList)" }
}

extension ParsedArguments {
    /// The index that the arguments describe; nil without them.
    fileprivate func fieldIndex() throws -> FieldIndex? {
        guard let type = try textIfPresent("TYPE") else { return nil }
        let paths = try paths("FIELD")
        if paths.isEmpty { throw UsageError("FIELD is missing") }
        if let path = paths.enumerated().first(where: { paths[..<$0].contains($1) })?.element {
            throw UsageError("FIELD '\(path.filterText)' is given twice")
        }
        return FieldIndex(type, by: paths)
    }

    /// Makes the missing indexes of a database, and removes others if it can.
    fileprivate func setIndexes(_ indexes: [FieldIndex], _ removesOthers: Bool) async throws {
        let place = try DatabasePlace(text("FILE"))
        let database = try await place.open(for: .indexing(indexes, removesOthers: removesOthers))
        // A database is prepared by its first use.
        _ = try await database.fieldIndexes()
        try await database.close()
    }
}
