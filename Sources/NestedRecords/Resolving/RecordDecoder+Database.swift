extension RecordDecoder {
    /// Fetches and decodes a value.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - id: The root's ID.
    ///   - database: The database with the records.
    /// - Returns: The value, with all nested values.
    /// - Throws: ``RecordError`` for records that are missing, of another type, in a cycle, too many or too deep, and
    ///   for errors of the database; `DecodingError` for fields that do not match the type and for errors that an
    ///   `init(from:)` throws; `CancellationError` if the task is cancelled. Each error contains its place.
    /// - Complexity: One call of the database per level of references; more where ``RecordDatabase/limits``
    ///   splits them; the first decode of a type may need extra fetches.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in database: some RecordDatabase
    ) async throws -> sending Root {
        try await resolve(type, from: id, in: database).value
    }

    package func decode<Root: RecordDecodable>(
        _ type: Root.Type, named name: some RecordNameConvertible, in database: some RecordDatabase
    ) async throws -> sending Root {
        try await decode(type, from: Record.ID(of: type, named: name), in: database)
    }

    package func decode<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], in database: some RecordDatabase
    ) async throws -> sending [Root] {
        try await resolve(type, from: ids, in: database).value
    }

    /// Fetches and decodes a value, and reports the number of calls, levels, records and passes.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - id: The root's ID.
    ///   - database: The database with the records.
    /// - Returns: The value, the references that were dropped, and the numbers of calls, levels, records and passes.
    /// - Throws: The errors of ``decode(_:from:in:)-(_,Record.ID,_)``.
    public func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in database: some RecordDatabase
    ) async throws -> sending Resolution<Root> {
        try await resolve(type, roots: [id], in: database) { call in try call.decode(type, root: id) }
    }

    /// Fetches and decodes several values together: in as many calls as one value takes, and with shared instances if
    /// they contain the same records.
    package func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], in database: some RecordDatabase
    ) async throws -> sending Resolution<[Root]> {
        try await resolve(type, roots: ids, in: database) { call in try call.decode(type, roots: ids) }
    }

    /// Fetches and decodes roots with the plan of a type, and adds new information to the plan.
    private func resolve<Root: RecordDecodable, Value>(
        _ type: Root.Type, roots: [Record.ID], known: [Record]? = nil, in database: some RecordDatabase,
        decode: (DecodingCall) throws -> Value
    ) async throws -> sending Resolution<Value> {
        let planner = FetchPlanner(knowledge: memory[type], of: type, coding.fieldNaming, userInfo: coding.userInfo)
        var resolver = ReferenceResolver(options: coding, database: database, planner)
        defer { if planner.hasLearned { memory.remember(planner.knowledge, of: type) } }
        let resolution = try await resolver.resolve(roots: roots, known: known) { try decode($0) }
        // Decoding makes the values from Sendable records only and keeps none of them.
        return Handover(resolution).take()
    }

    /// Decodes a fetched record, with the records that it refers to.
    ///
    /// The record itself is not fetched again.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - record: The root's record.
    ///   - database: The database with the other records.
    /// - Returns: The value, with all nested values.
    /// - Throws: The errors of ``decode(_:from:in:)-(_,Record.ID,_)``.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from record: Record, in database: some RecordDatabase
    ) async throws -> sending Root {
        let resolution = try await resolve(type, from: [record], in: database)
        guard let value = resolution.value.first else { throw RecordError(.recordNotFound, recordID: record.id) }
        return value
    }

    /// Decodes fetched records, for example a page of a list, with the records that they refer to.
    ///
    /// None of the records is fetched again, even if one of them refers to another.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the roots.
    ///   - records: The roots' records.
    ///   - database: The database with the other records.
    /// - Returns: The values in the order of the records.
    /// - Throws: The errors of ``decode(_:from:in:)-(_,Record.ID,_)``, and
    ///   `RecordError.Code.conflict` if two records with one ID differ.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from records: [Record], in database: some RecordDatabase
    ) async throws -> sending [Root] {
        try await resolve(type, from: records, in: database).value
    }

    package func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from records: [Record], in database: some RecordDatabase
    ) async throws -> sending Resolution<[Root]> {
        let ids = records.map(\.id)
        return try await resolve(type, roots: ids, known: Self.unique(records), in: database) { call in
            try call.decode(type, roots: ids)
        }
    }

    package func resolveEach<Root: RecordDecodable>(
        _ type: Root.Type, from records: [Record], in database: some RecordDatabase
    ) async throws -> sending Resolution<[Result<Root, any Error>]> {
        let ids = records.map(\.id)
        return try await resolve(type, roots: ids, known: Self.unique(records), in: database) { call in
            Self.decodeEach(type, ids, call)
        }
    }

    func resolveEach<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], in database: some RecordDatabase
    ) async throws -> sending Resolution<[Result<Root, any Error>]> {
        try await resolve(type, roots: ids, in: database) { call in Self.decodeEach(type, ids, call) }
    }

    private static func decodeEach<Root: RecordDecodable>(
        _ type: Root.Type, _ ids: [Record.ID], _ call: DecodingCall
    ) -> [Result<Root, any Error>] {
        ids.map { id in
            Result { do { return try call.decode(type, root: id) } catch { throw call.placed(error) } }
        }
    }

    private static func unique(_ records: [Record]) throws -> [Record] {
        Array(try RecordGraph(records, roots: []).records)
    }
}
