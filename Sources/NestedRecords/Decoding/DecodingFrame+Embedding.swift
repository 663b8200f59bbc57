extension DecodingFrame {
    /// The fields of an embedded value that are spread over this frame, by their own names; nil if there are none.
    func embeddedFields<Key: CodingKey>(of key: Key) -> Record.Fields? {
        guard isFlat, !hasData(as: Key.self), !FieldNaming.isOpen(Key.self), !ignores(key),
            let separator = session.options.embeddingStrategy.separator
        else { return nil }
        // Of two properties that could have a field, it is the one with the longer name that has it.
        return fields.withoutPrefix(fieldName(of: key) + separator) { name in
            session.fieldKeys.key(Key.self, forField: name).map { $0.stringValue == key.stringValue } ?? true
        }
    }

    /// Decodes a property that has no field of its own: some are spread over several fields, some need none.
    @inline(never)
    func decodeAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = session.decoder(of: type)
        let value: Record.Value
        if decoder.isFieldless, isOwnRecord, !ignores(key), isProperty(key) {
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

    /// Whether there is something to decode for a property that has no field of its own.
    @inline(never)
    func decodesAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) -> Bool {
        let decoder = session.decoder(of: type)
        if decoder.isFieldless, isOwnRecord, isProperty(key) {
            return !ignores(key) && (Value.self != Record.Metadata.self || ownMetadata != nil)
        }
        return isFlat && decoder.mayEmbed && embeddedFields(of: key) != nil
    }

    /// A frame for a nested container or a super decoder that is spread over the fields of this one.
    func makeEmbeddedChild(key: some CodingKey) throws -> ValueDecoder? {
        guard isFlat, position(of: key) == nil, let fields = embeddedFields(of: key) else { return nil }
        return try makeChild(.map(fields), key: key, isFlat: true)
    }

    /// A frame for the super decoder.
    func makeSuperChild() throws -> ValueDecoder {
        let key = PathKey.super
        if isFlat, fields[key.stringValue] == nil, let separator = session.options.embeddingStrategy.separator,
            let inner = fields.withoutPrefix(key.stringValue + separator, where: { _ in true })
        {
            return try makeChild(.map(inner), key: key, isFlat: true)
        }
        return try makeChild(fields[key.stringValue] ?? .null, key: key)
    }
}
