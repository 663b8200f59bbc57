import NestedRecords

extension Command {
    /// Makes nested JSON of records.
    static let nest = Command(
        name: "nest",
        summary: "Makes nested JSON of flat records",
        discussion: """
            References are followed: each one is replaced by its record. A record that would be nested in itself, or \
            deeper than --depth, or is only linked to, is replaced by {"$ref": "Person/ada"}. So is a missing record, \
            unless --strict makes that an error.
            """,
        examples: [Example("records nest school.records School/hilltop", "The school with all that belongs to it")],
        arguments: [.records, Argument("ROOT-ID", "The outermost record: School/hilltop.")],
        options: [
            .value("depth", "d", as: "COUNT", "Follow so many references in a row; 0 for none."),
            .flag("strict", nil, "Fail where a record is not there."),
            .value(
                "id-key", as: "KEY",
                "Print the name of each record under this key, where it has no such field: as 'flatten' reads it."),
            .flag("compact", "c", "Print everything on one line."),
            .value(
                "max-size", as: "BYTES", default: "1000000000",
                "Stop with an error beyond this size; records that others share are printed in each place."),
        ]
    ) { arguments in
        let id = try arguments.id(try arguments.text("ROOT-ID"))
        var nesting = Nesting()
        nesting.depth = try arguments.integerIfPresent("depth", in: 0...Int.max)
        nesting.isStrict = try arguments.flag("strict")
        nesting.idKey = try arguments.textIfPresent("id-key")
        let limit = try arguments.integer("max-size", in: 0...Int.max)
        let input = try await arguments.input()
        do {
            let document = try await input.naming { try await nesting.document(id, in: try input.database()) }
            var size = 0
            try document.write(try arguments.flag("compact") ? .compact : .pretty) { bytes in
                size += bytes.count
                guard size <= limit else {
                    throw InputError(
                        input: input.name,
                        reason: "the JSON is larger than \(limit.grouped) bytes, since records that others share are "
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
