extension RecordDatabase {
    /// Encodes a value and saves its records: all of them, or those that are new or changed.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - baseline: The records before the value was changed; nil saves all.
    ///   - encoder: How to encode it.
    ///   - options: What to do where the database holds another version, and with records that were removed.
    ///   - isolation: The caller's isolation; the encoding happens there.
    /// - Returns: The new metadata of every record that was sent.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and ``save(_:changedFrom:options:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ value: Root, changedFrom baseline: RecordGraph? = nil, encoder: RecordEncoder = RecordEncoder(),
        options: SaveOptions = SaveOptions(), isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Record.ID: Record.Metadata] {
        try await save(encoder.encode(value, for: self), changedFrom: baseline, options: options)
    }

    /// Encodes values together and saves their records: all of them, or those that are new or changed.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - baseline: The records before the values were changed; nil saves all.
    ///   - encoder: How to encode them.
    ///   - options: What to do where the database holds another version, and with records that were removed.
    ///   - isolation: The caller's isolation; the encoding happens there.
    /// - Returns: The new metadata of every record that was sent.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-([Root])`` and ``save(_:changedFrom:options:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ values: [Root], changedFrom baseline: RecordGraph? = nil, encoder: RecordEncoder = RecordEncoder(),
        options: SaveOptions = SaveOptions(), isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Record.ID: Record.Metadata] {
        try await save(encoder.encode(values, for: self), changedFrom: baseline, options: options)
    }

    /// Encodes values of different types together and saves their records.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - baseline: The records before the values were changed; nil saves all.
    ///   - encoder: How to encode them.
    ///   - options: What to do where the database holds another version, and with records that were removed.
    ///   - isolation: The caller's isolation; the encoding happens there.
    /// - Returns: The new metadata of every record that was sent.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-([RecordEncodable])`` and
    ///   ``save(_:changedFrom:options:)``.
    @discardableResult
    public func save(
        _ values: [any RecordEncodable], changedFrom baseline: RecordGraph? = nil,
        encoder: RecordEncoder = RecordEncoder(), options: SaveOptions = SaveOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Record.ID: Record.Metadata] {
        try await save(encoder.encode(values, for: self), changedFrom: baseline, options: options)
    }

    /// Encodes a value and saves its records, and calls a closure for each conflict with another version in the
    /// database.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - baseline: The records before the value was changed; nil saves all.
    ///   - encoder: How to encode it.
    ///   - options: What to do where the database holds another version, and with records that were removed; how often
    ///     to try.
    ///   - isolation: The caller's isolation; the encoding happens there, and the closure is called there.
    ///   - merge: Returns the record to save in place of one in conflict, with the same ID.
    /// - Returns: The graph as the database holds it now, with the merged records. The value does not have the merged
    ///   fields: decode it again.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and
    ///   ``save(_:changedFrom:options:isolation:merging:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ value: Root, changedFrom baseline: RecordGraph? = nil, encoder: RecordEncoder = RecordEncoder(),
        options: SaveOptions = SaveOptions(), isolation: isolated (any Actor)? = #isolation,
        merging merge: (SaveConflict) async throws -> Record
    ) async throws -> RecordGraph {
        try await save(
            encoder.encode(value, for: self), changedFrom: baseline, options: options, isolation: isolation,
            merging: merge)
    }

    /// Encodes a value, saves its records, and returns the value with their new versions, so that it can be changed and
    /// saved again.
    ///
    /// ```swift
    /// note = try await database.saveAndFetch(note)
    /// ```
    ///
    /// Its properties of the type ``Record/Metadata`` and its timestamps are those of this save. The value is decoded
    /// from the sent records and the metadata that the save returned: nothing is fetched from the database.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: How to encode it; nil for an encoder that matches the decoder.
    ///   - decoder: How to decode it.
    ///   - options: What to do where the database holds another version.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value, decoded from the saved records.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and ``save(_:changedFrom:options:)``, and
    ///   ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)`` if the value is saved and cannot be decoded
    ///   from the records, such as instances that contain each other.
    public func saveAndFetch<Root: RecordCodable>(
        _ value: Root, encoder: RecordEncoder? = nil, decoder: RecordDecoder = RecordDecoder(),
        options: SaveOptions = SaveOptions(), isolation: isolated (any Actor)? = #isolation
    ) async throws -> Root {
        let graph = try (encoder ?? RecordEncoder(decoder.coding)).encode(value, for: self)
        let saved = try await save(graph, options: options)
        return try decoder.decode(Root.self, from: nil, saved: saved) { graph.updated(with: saved) }
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
        _ type: Root.Type, named name: some RecordNameConvertible, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Root {
        try await decoder.decode(type, named: name, in: self)
    }

    /// Fetches and decodes the value with a name if its record exists.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value; nil if there is no such record.
    /// - Throws: The errors of ``loadIfPresent(_:from:decoder:)``.
    public func loadIfPresent<Root: RecordDecodable>(
        _ type: Root.Type, named name: some RecordNameConvertible, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Root? {
        try await loadIfPresent(type, from: Record.ID(of: type, named: name), decoder: decoder)
    }

    /// Fetches and decodes the value with an ID.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - id: The ID of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``.
    public func load<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Root {
        try await decoder.decode(type, from: id, in: self)
    }

    /// Fetches and decodes the value with an ID if its record exists.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - id: The ID of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value; nil if there is no such record.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``.
    public func loadIfPresent<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Root? {
        do {
            return try await decoder.decode(type, from: id, in: self)
        } catch let error as RecordError where error.code == .recordNotFound && error.recordID == id {
            return nil
        }
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
