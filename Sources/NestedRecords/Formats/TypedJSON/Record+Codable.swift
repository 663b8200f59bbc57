/// A type with a typed form, which the article <doc:TypedJSON> describes.
///
/// Lines have the same form. Errors of reading are ``JSONFault``s at the invalid
/// value. Nothing is ignored: an unknown key is an error.
protocol TypedCodable: Codable {
    init(typed value: JSONValue) throws(JSONFault)

    func write(to output: inout JSONWriter)
}

extension TypedCodable {
    /// Writes the typed form; an encoder of this library stores a ``Record/Value`` itself.
    ///
    /// The article <doc:TypedJSON> describes the form, which is lossless except for the order of the fields.
    /// At most 512 lists and objects may be nested, of which a record and its fields take two, as in Foundation's coders;
    /// ``RecordLineWriter`` supports 1,000 in a field.
    public func encode(to encoder: any Encoder) throws {
        if self is Record.Value, try encoder.takes(self) { return }
        var output = JSONWriter()
        write(to: &output)
        var reader = JSONReader(maximumDepth: .max)
        try reader.value(in: output.bytes).encode(to: encoder)
    }

    /// Reads the typed form, by the rules of ``RecordLineReader``; the fields are sorted by name.
    ///
    /// - Throws: `DecodingError` if a part is missing or malformed, and for unknown keys.
    public init(from decoder: any Decoder) throws {
        if Self.self == Record.Value.self, let value = try decoder.given(Self.self) {
            self = value
            return
        }
        var text = JSONWriter()
        text.write(try JSONValue(from: decoder))
        self = try Self.reading(text, at: decoder.codingPath)
    }

    /// Reads a text, so that the offsets of errors tell their paths.
    static func reading(_ text: JSONWriter, at codingPath: [any CodingKey]) throws -> Self {
        var reader = JSONReader(maximumDepth: .max)
        let root = try reader.value(in: text.bytes)
        do {
            return try Self(typed: root)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath + root.path(to: error.offset), debugDescription: error.reason,
                    underlyingError: error.underlyingError))
        }
    }
}

extension RecordGraph: TypedCodable {
    init(typed value: JSONValue) throws(JSONFault) {
        var members = try TypedMembers(value, expected: "an object with the keys 'roots' and 'records'")
        let rootValues = try members.required(TypedKey.roots).list(expected: "a list of IDs")
        let recordsValue = try members.required(TypedKey.records)
        let records = try recordsValue.list(expected: "a list of records").map(Record.init(typed:))
        let roots = try rootValues.map(Record.ID.init(typed:))
        try members.expectNoOther()
        do {
            try self.init(records, roots: roots)
        } catch {
            throw JSONFault(error, offset: recordsValue.offset)
        }
    }

    func write(to output: inout JSONWriter) { output.write(graph: self) }
}

extension Record: TypedCodable {
    init(typed value: JSONValue) throws(JSONFault) {
        var members = try TypedMembers(value, expected: "an object with the keys 'id' and 'fields'")
        let id = try ID(typed: try members.required(TypedKey.id))
        let fieldsValue = try members.required(TypedKey.fields)
        let fields = try Fields(typed: fieldsValue)
        let metadata = try members.optional(TypedKey.metadata).map(Metadata.init(typed:))
        try members.expectNoOther()
        do {
            try self.init(id: id, fields: fields, metadata: metadata)
        } catch {
            throw JSONFault(error, offset: fieldsValue.offset)
        }
    }

    func write(to output: inout JSONWriter) { output.write(record: self) }
}

extension Record.ID: TypedCodable {
    init(typed value: JSONValue) throws(JSONFault) {
        let text = try value.text(expected: "the ID of a record, such as \"Person/1\"")
        do {
            try self.init(text)
        } catch {
            throw JSONFault(error, offset: value.offset)
        }
    }

    func write(to output: inout JSONWriter) { output.write(description) }
}

extension Record.Fields: TypedCodable {
    init(typed value: JSONValue) throws(JSONFault) {
        let object = try value.object(expected: "an object with the record's fields")
        self.init(object.names, values: try object.values.map(TypedForm.value))
    }

    func write(to output: inout JSONWriter) { output.write(fields: self) }
}

extension Record.Metadata {
    fileprivate init(typed value: JSONValue) throws(JSONFault) {
        var members = try TypedMembers(value, expected: "an object with the record's metadata")
        self.init(
            changeTag: try members.required(TypedKey.changeTag).text(expected: "a change tag in quotes"),
            creationDate: try TypedForm.date(try members.required(TypedKey.creationDate)),
            modificationDate: try TypedForm.date(try members.required(TypedKey.modificationDate)))
        try members.expectNoOther()
    }
}

extension Record.Reference: TypedCodable {
    init(typed value: JSONValue) throws(JSONFault) {
        guard case .reference(let reference) = try TypedForm.value(value) else {
            throw value.unexpected("a reference, such as {\"$ref\": \"Person/1\"}")
        }
        self = reference
    }

    func write(to output: inout JSONWriter) { output.write(reference: self) }
}

extension Record.Value: TypedCodable {
    init(typed value: JSONValue) throws(JSONFault) { self = try TypedForm.value(value) }

    func write(to output: inout JSONWriter) { output.write(typed: self) }
}

extension Record.Value {
    /// Makes a value from the typed form in UTF-8; throws a ``JSONError``.
    package init(typedJSON text: [UInt8]) throws {
        self = try text.withBytesInPlace { bytes in
            do throws(JSONFault) {
                var reader = JSONReader(maximumDepth: BinaryFormat.maximumNesting)
                return try TypedForm.value(try reader.value(at: JSONCursor(bytes)))
            } catch {
                throw error.placed(in: bytes)
            }
        }
    }
}
