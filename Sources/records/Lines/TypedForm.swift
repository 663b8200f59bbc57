import NestedRecords

/// Makes records of their typed JSON form.
///
/// It accepts what the `Codable` conformance of `Record` accepts, but for one thing: keys that mean nothing are errors,
/// since what they hold would be lost. Errors are ``JSONFault``s at the value that is wrong.
enum TypedForm {
    /// The record that a value stands for.
    ///
    /// - Parameter value: An object with the keys `id`, `fields` and, if there is any, `metadata`.
    /// - Returns: The record, its fields in the order in which they stand.
    /// - Throws: ``JSONFault``.
    static func record(_ value: JSONValue) throws -> Record {
        let object = try value.object(expected: "an object with the keys 'id' and 'fields'")
        var members = TypedMembers(object, at: value.offset)
        let id = try id(try members.required("id"))
        let fieldsValue = try members.required("fields")
        let fields = try fields(try fieldsValue.object(expected: "an object with the record's fields"))
        let metadata = try members.optional("metadata").map(metadata)
        try members.expectNoOther()
        do {
            return try Record(id: id, fields: fields, metadata: metadata)
        } catch {
            throw JSONFault(reason: "\(error)", offset: fieldsValue.offset)
        }
    }

    /// The ID that a text stands for.
    static func id(_ value: JSONValue) throws -> Record.ID {
        let text = try value.text(expected: "the ID of a record, such as \"Person/1\"")
        do {
            return try Record.ID(text)
        } catch {
            throw JSONFault(reason: "\(error)", offset: value.offset)
        }
    }

    /// The fields that the members of an object stand for.
    static func fields(_ object: JSONObject) throws -> Record.Fields {
        var fields = Record.Fields()
        for (name, value) in zip(object.keys, object.values) { fields[name] = try self.value(value) }
        return fields
    }

    private static func metadata(_ value: JSONValue) throws -> Record.Metadata {
        let object = try value.object(expected: "an object with the record's metadata")
        var members = TypedMembers(object, at: value.offset)
        let metadata = Record.Metadata(
            changeTag: try members.required("changeTag").text(expected: "a change tag in quotes"),
            creationDate: try date(try members.required("creationDate")),
            modificationDate: try date(try members.required("modificationDate")))
        try members.expectNoOther()
        return metadata
    }
}
