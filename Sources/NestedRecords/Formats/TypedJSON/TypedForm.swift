/// The rules of the typed form: the JSON of records and values, and the JSON that is refused.
///
/// Lines and the `Codable` conformance use these functions. Nothing is ignored: an unknown key is an error. Errors are
/// ``JSONFault``s at the invalid value.
///
/// ``TypedScalar`` has the rules of writing.
enum TypedForm {
    /// The maximum nesting depth of lists and objects in a document.
    ///
    /// It allows the maximum nesting of a field, with two levels for each marked map, in the fields of a record.
    static let maximumDepth = 2 * BinaryFormat.maximumNesting + 3

    /// The record of a JSON value.
    ///
    /// - Parameter value: An object with the keys `id`, `fields` and optionally `metadata`.
    /// - Returns: The record, its fields in the order of the document.
    /// - Throws: ``JSONFault``.
    static func record(_ value: JSONValue) throws(JSONFault) -> Record {
        let object = try value.object(expected: "an object with the keys 'id' and 'fields'")
        var members = TypedMembers(object, at: value.offset)
        let id = try id(try members.required(TypedKey.id))
        let fieldsValue = try members.required(TypedKey.fields)
        let fields = try fields(fieldsValue)
        let metadata = try members.optional(TypedKey.metadata).map(metadata)
        try members.expectNoOther()
        do {
            return try Record(id: id, fields: fields, metadata: metadata)
        } catch {
            throw JSONFault(error, offset: fieldsValue.offset)
        }
    }

    /// The ID of a JSON string.
    static func id(_ value: JSONValue) throws(JSONFault) -> Record.ID {
        let text = try value.text(expected: "the ID of a record, such as \"Person/1\"")
        do {
            return try Record.ID(text)
        } catch {
            throw JSONFault(error, offset: value.offset)
        }
    }

    private static func fields(_ value: JSONValue) throws(JSONFault) -> Record.Fields {
        let object = try value.object(expected: "an object with the record's fields")
        return Record.Fields(object.names, values: try object.values.map(self.value))
    }

    private static func metadata(_ value: JSONValue) throws(JSONFault) -> Record.Metadata {
        let object = try value.object(expected: "an object with the record's metadata")
        var members = TypedMembers(object, at: value.offset)
        let metadata = Record.Metadata(
            changeTag: try members.required(TypedKey.changeTag).text(expected: "a change tag in quotes"),
            creationDate: try date(try members.required(TypedKey.creationDate)),
            modificationDate: try date(try members.required(TypedKey.modificationDate)))
        try members.expectNoOther()
        return metadata
    }
}

extension Record.Value {
    /// Makes a value from the typed form, outside of lines and decoders.
    ///
    /// - Parameter text: One value in UTF-8.
    /// - Throws: ``JSONError`` for the first error.
    package init(typedJSON text: [UInt8]) throws {
        self = try text.withBytesInPlace { bytes in
            do {
                var reader = JSONReader(maximumDepth: BinaryFormat.maximumNesting)
                return try TypedForm.value(try reader.value(in: bytes))
            } catch let fault as JSONFault {
                throw fault.placed(in: bytes)
            }
        }
    }
}
