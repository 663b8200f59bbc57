/// The rules of the typed form: which records and values JSON represents, and which JSON represents none.
///
/// Lines and the `Codable` conformance follow them, which reads values with these functions. Nothing is passed over: a key
/// that means nothing is an error. Errors are ``JSONFault``s at the value that is wrong.
///
/// ``TypedScalar`` has the rules of writing.
enum TypedForm {
    /// How deeply lists and objects may be nested in a document.
    ///
    /// A value under a mark may be in as many lists and marked maps as a field may hold, in the fields of a record.
    static let maximumDepth = 2 * BinaryFormat.maximumNesting + 3

    /// The record that a value represents.
    ///
    /// - Parameter value: An object with the keys `id`, `fields` and, if there is any, `metadata`.
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

    /// The ID that a string represents.
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
    /// Reads a value in the typed form, where it is neither in a line nor in the hands of a decoder.
    ///
    /// - Parameter text: One value in UTF-8.
    /// - Throws: ``JSONError`` for the first thing that is wrong.
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
