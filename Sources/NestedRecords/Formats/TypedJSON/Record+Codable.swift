#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The typed form of a record: {"id": "Person/1", "fields": {…}, "metadata": {…}}. No form keeps the order of fields,
// since most coders do not; the order after reading is that of the names.

extension Record: Codable {
    private enum CodingKeys: CodingKey {
        case id, fields, metadata
    }

    /// Writes the typed form, which loses nothing but the order of the fields.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(fields, forKey: .fields)
        try container.encodeIfPresent(metadata, forKey: .metadata)
    }

    /// Reads the typed form.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if something is missing or malformed, also for IDs and names of fields that a record
    ///   cannot have.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(ID.self, forKey: .id)
        let fields = try container.decode(Fields.self, forKey: .fields)
        let metadata = try container.decodeIfPresent(Metadata.self, forKey: .metadata)
        do {
            try self.init(id: id, fields: fields, metadata: metadata)
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .fields, in: container, debugDescription: "\(error)")
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
    /// - Throws: `DecodingError.dataCorrupted` if the text is not an ID.
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
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        for (name, value) in self { try container.encode(value, forKey: PathKey(stringValue: name)) }
    }

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
        var container = encoder.container(keyedBy: TypedMarker.self)
        try container.encode(id, forKey: .reference)
        if isLink { try container.encode(true, forKey: .link) }
        if action != .none { try container.encode(action, forKey: .action) }
    }

    /// Reads the form that is written.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: TypedMarker.self)
        self.init(
            to: try container.decode(Record.ID.self, forKey: .reference),
            action: try container.decodeIfPresent(Action.self, forKey: .action) ?? .none,
            isLink: try container.decodeIfPresent(Bool.self, forKey: .link) ?? false)
    }
}

extension Record.Metadata: Codable {
    private enum CodingKeys: CodingKey {
        case changeTag, creationDate, modificationDate
    }

    /// Writes the change tag and the dates, these in the typed form.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(changeTag, forKey: .changeTag)
        try container.encode(Record.Value.date(creationDate), forKey: .creationDate)
        try container.encode(Record.Value.date(modificationDate), forKey: .modificationDate)
    }

    /// Reads the form that is written.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func date(_ key: CodingKeys) throws -> Date {
            let value = try container.decode(Record.Value.self, forKey: key)
            if let date = Date.read(value) ?? Date.readLeniently(value) { return date }
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "this is not a date")
        }
        self.init(
            changeTag: try container.decode(String.self, forKey: .changeTag),
            creationDate: try date(.creationDate), modificationDate: try date(.modificationDate))
    }
}
