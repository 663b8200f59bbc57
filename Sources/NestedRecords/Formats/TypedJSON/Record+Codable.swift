#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// TypedForm has the rules, which lines follow too. Values are read one by one, because the coders of this library have
// special forms for them. All keys are data: a coder that renames the properties of types must not rename these.

extension Record: Codable {
    /// Writes the typed form, which is lossless except for the order of the fields.
    ///
    /// ```json
    /// {"id": "Person/1", "fields": {"name": "Ida", "boss": {"$ref": "Person/2"}}, "metadata": {…}}
    /// ```
    ///
    /// ``Value/encode(to:)`` lists the forms of values. Foundation's coders support at most 512 nested lists and
    /// objects, of which the record and its fields take two; ``RecordLineWriter`` supports 1,000 in a field.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        try container.encode(id, forKey: PathKey(stringValue: TypedKey.id))
        try container.encode(fields, forKey: PathKey(stringValue: TypedKey.fields))
        try container.encodeIfPresent(metadata, forKey: PathKey(stringValue: TypedKey.metadata))
    }

    /// Reads the typed form, by the rules of ``RecordLineReader``.
    ///
    /// - Parameter decoder: Any decoder. The fields are sorted by name.
    /// - Throws: `DecodingError` if a part is missing or malformed, for unknown keys, and for IDs and field names that
    ///   a record cannot have.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.typedContainer(TypedKey.ofRecord)
        let id = try container.decode(ID.self, forKey: PathKey(stringValue: TypedKey.id))
        let fields = try container.decode(Fields.self, forKey: PathKey(stringValue: TypedKey.fields))
        let metadata = try container.decodeIfPresent(Metadata.self, forKey: PathKey(stringValue: TypedKey.metadata))
        do {
            try self.init(id: id, fields: fields, metadata: metadata)
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: PathKey(stringValue: TypedKey.fields), in: container, debugDescription: "\(error)")
        }
    }
}

extension Decoder {
    /// The members of an object.
    ///
    /// - Parameter keys: The allowed keys.
    /// - Throws: `DecodingError` for another key, or a value that is no object.
    func typedContainer(_ keys: [String]) throws -> KeyedDecodingContainer<PathKey> {
        let container = try container(keyedBy: PathKey.self)
        for key in container.allKeys where !keys.contains(key.stringValue) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: TypedKey.reason(against: key.stringValue, known: keys))
        }
        return container
    }

    /// Reads a value of the typed form.
    ///
    /// - Parameter read: Reads the value by the rules of the typed form.
    /// - Throws: `DecodingError` with the coding path of the fault.
    func decodeTypedForm<Result>(_ read: (JSONValue) throws(JSONFault) -> Result) throws -> Result {
        let root = try JSONValue(from: self, maximumDepth: TypedForm.maximumDepth)
        do {
            return try read(root)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath + root.path(to: error.offset), debugDescription: error.reason,
                    underlyingError: error.underlyingError))
        }
    }
}

extension Record.ID: Codable {
    /// Writes the text form.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }

    /// Reads the text form.
    ///
    /// - Parameter decoder: A decoder with a single string.
    /// - Throws: `DecodingError.dataCorrupted` if the string is not an ID.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }
}

extension Record.Fields: Codable {
    /// Writes an object with the fields.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }

    /// Reads an object; the fields are sorted by name.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a value is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PathKey.self)
        let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
        self.init(
            names: keys.map(\.stringValue),
            values: try keys.map { try container.decode(Record.Value.self, forKey: $0) })
    }
}

extension Record.Reference: Codable {
    /// Writes `{"$ref": "Person/1"}`, with `link` and `action` if they differ from the default.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try TypedScalar(self).encode(to: encoder)
    }

    /// Reads the encoded form.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeTypedForm(TypedForm.reference)
    }
}

extension Record.Metadata: Codable {
    /// Writes the change tag, and the dates in the typed form.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        try container.encode(changeTag, forKey: PathKey(stringValue: TypedKey.changeTag))
        let (creation, modification) = (Record.Value.date(creationDate), Record.Value.date(modificationDate))
        try container.encode(creation, forKey: PathKey(stringValue: TypedKey.creationDate))
        try container.encode(modification, forKey: PathKey(stringValue: TypedKey.modificationDate))
    }

    /// Reads the encoded form.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed, and for unknown keys.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.typedContainer(TypedKey.ofMetadata)
        func date(_ key: String) throws -> Date {
            let key = PathKey(stringValue: key)
            if let date = TypedForm.date(try container.decode(Record.Value.self, forKey: key)) { return date }
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "expected \(TypedForm.dateForm)")
        }
        self.init(
            changeTag: try container.decode(String.self, forKey: PathKey(stringValue: TypedKey.changeTag)),
            creationDate: try date(TypedKey.creationDate), modificationDate: try date(TypedKey.modificationDate))
    }
}
