extension RecordStore {
    /// Fetches the value with a name.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: `RecordError.Code.recordNotFound` if there is no such record, and the errors of
    ///   ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``.
    /// - Complexity: One call to the database for each level of references.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible
    ) async throws -> sending Stored<Value> {
        try await fetch(type, from: Record.ID(of: type, named: name))
    }

    /// Fetches the value with a name if it exists.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    /// - Returns: The value; nil if there is no such record.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``.
    public func fetchIfPresent<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible
    ) async throws -> sending Stored<Value>? {
        try await fetchIfPresent(type, from: Record.ID(of: type, named: name))
    }

    /// Fetches the values with these names together.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the values.
    ///   - names: The names of their records.
    /// - Returns: The values in the order of the names; a store that is ``skippingMalformedRecords(_:)`` leaves out those
    ///   that cannot be decoded. They share the records that they have in common.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``, also if a single record is missing.
    /// - Complexity: One call to the database for each level of references of all values together.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, named names: [some RecordNameConvertible]
    ) async throws -> sending [Stored<Value>] {
        try await fetchReadable(type, from: names.map { try Record.ID(of: type, named: $0) })
    }

    /// Fetches the target of a link.
    ///
    /// - Parameters:
    ///   - link: The link; its record may be of a subclass of the target's type.
    ///   - isolation: The caller's isolation; the link stays there.
    /// - Returns: The target, with everything that it contains.
    /// - Throws: As ``fetch(_:named:)-(_,RecordNameConvertible)``.
    public func fetch<Target: RecordDecodable>(
        _ link: RecordLink<Target>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> sending Stored<Target> {
        try await fetch(Target.self, from: link.id)
    }

    /// Fetches the target of a link if it exists.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - isolation: The caller's isolation; the link stays there.
    /// - Returns: The target; nil if there is no such record.
    /// - Throws: As ``fetchIfPresent(_:named:)``.
    public func fetchIfPresent<Target: RecordDecodable>(
        _ link: RecordLink<Target>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> sending Stored<Target>? {
        try await fetchIfPresent(Target.self, from: link.id)
    }

    /// Fetches the targets of links together.
    ///
    /// - Parameters:
    ///   - links: The links.
    ///   - isolation: The caller's isolation; the links stay there.
    /// - Returns: The targets in the order of the links; a store that is ``skippingMalformedRecords(_:)`` leaves out those
    ///   that cannot be decoded. They share the records that they have in common.
    /// - Throws: As ``fetch(_:named:)-(_,RecordNameConvertible)``, also if a single target is missing.
    public func fetch<Target: RecordDecodable>(
        _ links: [RecordLink<Target>], isolation: isolated (any Actor)? = #isolation
    ) async throws -> sending [Stored<Target>] {
        try await fetchReadable(Target.self, from: links.map(\.id))
    }
}

extension RecordStore {
    func fetch<Value: RecordDecodable>(
        _ type: Value.Type, from id: Record.ID
    ) async throws -> sending Stored<Value> {
        Stored(try await decoder.resolve(type, from: id, in: calls), id: id, decoder: decoder)
    }

    func fetchIfPresent<Value: RecordDecodable>(
        _ type: Value.Type, from id: Record.ID
    ) async throws -> sending Stored<Value>? {
        do {
            return try await fetch(type, from: id)
        } catch let error as RecordError where error.code == .recordNotFound && error.recordID == id {
            return nil
        }
    }

    func fetch<Value: RecordDecodable>(
        _ type: Value.Type, from ids: [Record.ID]
    ) async throws -> sending [Stored<Value>] {
        Stored.all(try await decoder.resolve(type, from: ids, in: calls), ids: ids, decoder)
    }

    /// Without the values that cannot be decoded, if the store is to leave them out.
    private func fetchReadable<Value: RecordDecodable>(
        _ type: Value.Type, from ids: [Record.ID]
    ) async throws -> sending [Stored<Value>] {
        guard let report = reportMalformedRecord else { return try await fetch(type, from: ids) }
        return await decoded(try await decoder.resolveEach(type, from: ids, in: calls), ids, report)
    }
}
