extension DecodingLevel {
    /// The fields of an embedded value that are spread over this level, by their own names; nil if there are none.
    func embeddedFields(of key: some CodingKey) -> Record.Fields? {
        guard isFlat, !ignores(key), let separator = session.options.embeddingStrategy.separator else { return nil }
        return fields.withoutPrefix(fieldName(of: key) + separator)
    }

    /// Decodes a property that has no field of its own: some are spread over several fields, some need none.
    @inline(never)
    func decodeAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = session.decoder(of: type)
        let value: Record.Value
        if decoder.needsNoField, isOwnRecord {
            value = .null
        } else if decoder.mayEmbed, let fields = embeddedFields(of: key) {
            session.isNextFlat = true
            value = .map(fields)
        } else {
            throw missingField(key)
        }
        enter(key)
        defer { hasKey = false }
        return try decodingNested { try decoder.decode(value, in: session) }
    }

    /// Decodes a property that may be spread over several fields.
    func decodeEmbeddedIfPresent<Value: Decodable, Key: CodingKey>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        guard session.decoder(of: type).mayEmbed, embeddedFields(of: key) != nil else { return nil }
        return try decodeAbsent(type, forKey: key)
    }

    /// A level for a nested container or a super decoder that is spread over the fields of this one.
    func makeEmbeddedChild(key: some CodingKey) throws -> ValueDecoder? {
        guard isFlat, position(of: key) == nil, let fields = embeddedFields(of: key) else { return nil }
        return try makeChild(.map(fields), key: key, isFlat: true)
    }
}

extension RecordDecoder {
    /// The key of this type that a field belongs to.
    ///
    /// - Parameters:
    ///   - type: The type of the keys.
    ///   - name: The name of the field.
    ///   - isFlat: Whether the field may be one of several of an embedded value.
    func key<Key: CodingKey>(_ type: Key.Type, forField name: String, isFlat: Bool) -> Key? {
        if let key = keyStrategy.key(type, forField: name) { return key }
        guard isFlat, let separator = embeddingStrategy.separator else { return nil }
        return name.beginnings(before: separator).reversed().lazy.compactMap { keyStrategy.key(type, forField: $0) }
            .first
    }
}
