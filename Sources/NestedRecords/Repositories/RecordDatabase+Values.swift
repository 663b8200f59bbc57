extension RecordDatabase {
    /// Encodes a value and saves the records that it becomes.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: How to encode it.
    ///   - savePolicy: What to do where the database holds another version.
    ///   - isolation: The caller's isolation; the encoding happens there.
    /// - Returns: The new metadata of every record.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and ``save(_:savePolicy:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ value: Root, encoder: RecordEncoder = RecordEncoder(), savePolicy: SavePolicy = .automatic,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Record.ID: Record.Metadata] {
        try await save(encoder.encode(value), savePolicy: savePolicy)
    }

    /// Encodes a value, saves the records that it becomes, and gives the value back with the versions that they have
    /// now, so that it can be changed and saved again.
    ///
    /// ```swift
    /// note = try await database.save(returning: note)
    /// ```
    ///
    /// Its properties of the type ``Record/Metadata`` and its timestamps are those of this save.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: How to encode it; nil for an encoder that matches the decoder.
    ///   - decoder: How to decode it.
    ///   - savePolicy: What to do where the database holds another version.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value, decoded anew from the records that were saved; or as it was, where they cannot be decoded,
    ///   as with instances that contain each other.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and ``save(_:savePolicy:)``.
    public func save<Root: RecordCodable>(
        returning value: Root, encoder: RecordEncoder? = nil, decoder: RecordDecoder = RecordDecoder(),
        savePolicy: SavePolicy = .automatic, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Root {
        let graph = try (encoder ?? RecordEncoder(matching: decoder)).encode(value)
        let saved = try await save(graph, savePolicy: savePolicy)
        return (try? decoder.decode(Root.self, from: graph.updated(with: saved))) ?? value
    }

    /// Encodes values together and saves the records that they become.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - encoder: How to encode them.
    ///   - savePolicy: What to do where the database holds another version.
    ///   - isolation: The caller's isolation; the encoding happens there.
    /// - Returns: The new metadata of every record.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-([Root])`` and ``save(_:savePolicy:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ values: [Root], encoder: RecordEncoder = RecordEncoder(), savePolicy: SavePolicy = .automatic,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Record.ID: Record.Metadata] {
        try await save(encoder.encode(values), savePolicy: savePolicy)
    }

    /// Fetches and decodes the value with a name.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``.
    public func load<Root: RecordDecodable>(
        _ type: Root.Type, named name: String, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Root {
        try await decoder.decode(type, named: name, in: self)
    }

    /// Fetches and decodes the value with a name if its record is there.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value; nil if there is no such record.
    /// - Throws: The errors of ``RecordDecoder/decodeIfPresent(_:named:in:)``.
    public func loadIfPresent<Root: RecordDecodable>(
        _ type: Root.Type, named name: String, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Root? {
        try await decoder.decodeIfPresent(type, named: name, in: self)
    }

    /// Fetches and decodes several values together.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the values.
    ///   - ids: The IDs of their records.
    ///   - decoder: How to decode them.
    /// - Returns: The values in the order of the IDs.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``, also if a single record is missing.
    public func load<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending [Root] {
        try await decoder.decode(type, from: ids, in: self)
    }
}
