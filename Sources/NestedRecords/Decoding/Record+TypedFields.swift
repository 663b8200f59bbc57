extension Record {
    /// The value of the field with this name, as a Swift type; nil if the field is missing or null.
    ///
    /// ```swift
    /// let name = try record["name", as: String.self]
    /// let tags = try record["tags", as: [String].self] ?? []
    /// ```
    ///
    /// Supports every type of a property: scalars, optionals, lists, maps, embedded values, ``Record/Reference`` and
    /// ``RecordLink``. An optional type distinguishes null, which it reads as nil, from a missing field. Types that
    /// become records cannot be read: a record does not contain them.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - type: The type.
    /// - Throws: `DecodingError` if the field contains a value of another kind, ``RecordError`` if its content cannot
    ///   be decoded. Both contain the record and the field.
    /// - Complexity: O(1) for a scalar, O(*n*) for the *n* values in a list or a map.
    public subscript<Content: Decodable>(name: String, as type: Content.Type) -> Content? {
        get throws {
            guard let value = fields[name] else { return nil }
            if case .null = value, !type.readsNull { return nil }
            // An optional type is not a scalar, and distinguishes null from a value of the wrong kind itself.
            if let scalar = type as? any FieldScalar.Type, let read = scalar.read(value),
                let content = read as? Content
            {
                return content
            }
            return try DecodingCall.run(options: RecordCoding(), records: [self], index: .empty) { call in
                try call.decode(type, field: value, named: name)
            }
        }
    }

    /// Stores a value in the field with this name.
    ///
    /// ```swift
    /// try record.set(["new", "red"], for: "tags")
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value; nil removes the field. To store null, set ``Record/Value/null``.
    ///   - name: The name of the field.
    /// - Throws: `RecordError.Code.invalidKey` if the name is empty; `EncodingError` for a value that a
    ///   field cannot store, such as a value that becomes a record. In both cases the record is unchanged.
    public mutating func set<Content: Encodable>(_ value: Content?, for name: String) throws {
        guard let value else { return fields[name] = nil }
        guard !name.isEmpty else {
            let reason = "a field's name must not be empty"
            throw RecordError.invalidKey(name, reason: reason, context: RecordContext(record: id))
        }
        fields[name] = try EncodingCall.encode(field: value, RecordCoding(), named: name, of: id)
    }
}

extension Decodable {
    fileprivate static var readsNull: Bool { self is any ExpressibleByNilLiteral.Type || self == Record.Value.self }
}

extension DecodingCall {
    fileprivate func decode<Content: Decodable>(
        _ type: Content.Type, field value: Record.Value, named name: String
    ) throws -> Content {
        let frame = DecodingFrame(self)
        frame.begin(in: DecodingFrame(self), .record, .record(at: 0, nil))
        frame.enter(PathKey(stringValue: name))
        do {
            return try StoredValue.with(value) { try decode(type, $0, in: frame) }
        } catch {
            throw noted(error, frame, leavesRecord: true)
        }
    }
}
