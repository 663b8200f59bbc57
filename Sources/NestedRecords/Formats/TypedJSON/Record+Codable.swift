#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The rules are those of TypedForm, which lines follow too. Values are read one by one: the coders of this library have
// forms of their own for them. All keys are data: a coder that renames the properties of types must not rename these.

extension Record: Codable {
    /// Writes the typed form, which loses nothing but the order of the fields.
    ///
    /// ```json
    /// {"id": "Person/1", "fields": {"name": "Ida", "boss": {"$ref": "Person/2"}}, "metadata": {…}}
    /// ```
    ///
    /// ``Value/encode(to:)`` has the forms of values. Foundation's coders take no more than 512 nested lists and objects, of
    /// which the record and its fields are two; ``RecordLineWriter`` takes 1,000 in a field.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        try container.encode(id, forKey: PathKey(stringValue: TypedKey.id))
        try container.encode(fields, forKey: PathKey(stringValue: TypedKey.fields))
        try container.encodeIfPresent(metadata, forKey: PathKey(stringValue: TypedKey.metadata))
    }

    /// Reads the typed form, by the rules of ``RecordLineReader``.
    ///
    /// - Parameter decoder: Any decoder. The fields come in the order of their names.
    /// - Throws: `DecodingError` if something is missing or malformed, for keys that mean nothing, and for IDs and names
    ///   of fields that a record cannot have.
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
    /// - Parameter keys: The keys that it may have.
    /// - Throws: `DecodingError` for another key, and for what is no object.
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
    /// - Parameter read: The rules.
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
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }

    /// Reads the text form.
    ///
    /// - Parameter decoder: A decoder with a single text.
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
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }

    /// Reads an object; the fields come in the order of their names.
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
    /// Writes `{"$ref": "Person/1"}`, with `link` and `action` where they are not the default.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try TypedScalar(self).encode(to: encoder)
    }

    /// Reads the form that is written.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeTypedForm(TypedForm.reference)
    }
}

extension Record.Metadata: Codable {
    /// Writes the change tag and the dates, these in the typed form.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        try container.encode(changeTag, forKey: PathKey(stringValue: TypedKey.changeTag))
        let (creation, modification) = (Record.Value.date(creationDate), Record.Value.date(modificationDate))
        try container.encode(creation, forKey: PathKey(stringValue: TypedKey.creationDate))
        try container.encode(modification, forKey: PathKey(stringValue: TypedKey.modificationDate))
    }

    /// Reads the form that is written.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed, and for keys that mean nothing.
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
