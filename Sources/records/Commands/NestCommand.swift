import NestedRecords

extension Command {
    /// Converts records to nested JSON.
    static let nest = Command(
        name: "nest",
        summary: "Converts flat records to nested JSON",
        discussion: """
            Without a ROOT-ID it writes the document that 'flatten' read. With one, it begins with this record.

            Each reference is replaced by its record. The output has {"$ref": "Person/ada"} for a record that would be \
            nested in itself or deeper than --depth, for the target of a link, and for a missing record. With --strict \
            a missing record is an error.
            """,
        examples: [
            Example("records flatten school.json | records nest -", "The same document again"),
            Example("records nest school.records School/hilltop", "The school with all records it refers to"),
        ],
        arguments: [
            .records,
            Argument(
                "ROOT-ID", "The outermost record, such as School/hilltop; by default the flattened document.",
                .optional,
                kind: .id
            ),
        ],
        options: [
            .value("depth", "d", as: "COUNT", "The maximum number of references in a row; 0 follows none."),
            .flag("strict", nil, "Fail if a record is missing."),
            .value(
                "id-key", as: "KEY",
                "Print the name of each record that has no such field under this key, as 'flatten' reads it."),
            .flag("compact", "c", "Print everything on one line."),
            .value(
                "max-size", as: "BYTES", default: "1000000000",
                "Stop with an error above this size; shared records are printed in each place."),
        ]
    ) { arguments in
        let id = try arguments.textIfPresent("ROOT-ID").map(arguments.id)
        var nesting = Nesting()
        nesting.depth = try arguments.integerIfPresent("depth", in: 0...Int.max)
        nesting.isStrict = try arguments.flag("strict")
        nesting.idKey = try arguments.textIfPresent("id-key")
        let limit = try arguments.integer("max-size", in: 0...Int.max)
        let input = try await arguments.input()
        do {
            let document = try await arguments.showing("Nesting") {
                try await input.naming { try await input.nested(id, nesting) }
            }
            let progress = arguments.barOfOutput("Writing", unit: "bytes")
            defer { progress?.finish() }
            var size = 0
            let isCompact = try arguments.flag("compact") || document.isLines
            try document.write(isCompact ? .compact : .pretty) { bytes in
                size += bytes.count
                progress?.advance(by: bytes.count)
                guard size <= limit else {
                    throw InputError(
                        input: input.name,
                        reason: "the JSON is larger than \(limit.grouped) bytes, since shared records are "
                            + "printed in each place: raise the limit with --max-size, or follow fewer references "
                            + "with --depth")
                }
                try arguments.console.output.write(json: bytes)
            }
        } catch let error as NestingError {
            throw InputError(input: input.name, reason: "\(error)")
        } catch let error as RecordError {
            throw InputError(input: input.name, reason: "\(error)")
        }
        return .done
    }
}

extension RecordInput {
    /// The document below a record, or the flattened document.
    fileprivate func nested(_ id: Record.ID?, _ nesting: Nesting) async throws -> NestedDocument {
        let database = try database()
        var documents: [DocumentRecord] = []
        for try await record in database.records(ofType: DocumentRecord.recordType) {
            documents.append(try DocumentRecord(record, of: name))
        }
        guard let id = id ?? (documents.count == 1 ? documents[0].id : nil) else {
            let names = documents.map(\.id.description).joined(separator: ", ")
            throw UsageError(
                documents.isEmpty
                    ? "ROOT-ID is missing, and \(name) has no document that 'records flatten' wrote"
                    : "ROOT-ID is missing, and \(name) has several documents: \(names)")
        }
        if let document = documents.first(where: { $0.id == id }) {
            return try await nesting.document(document, in: database)
        }
        var nested = try await nesting.document(id, in: database)
        for document in documents { nested.add(document) }
        return nested
    }
}
