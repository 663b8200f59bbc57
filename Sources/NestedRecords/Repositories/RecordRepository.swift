/// The values of one Swift type in a database, or only those in which a property has a certain value.
///
/// ```swift
/// let notes = RecordRepository(of: Note.self, in: database).scoped(to: \.owner, "ann")
/// let note = try await notes.insert(Note(id: 1, owner: "", text: "Buy maps"))  // the owner is "ann"
/// try await notes.update(1) { $0.text += "!" }
/// print(try await notes.count())
/// ```
///
/// A scope is a property and its value. It is added to every query, and set in every inserted value. Values outside the
/// scope are not found, and no value is moved out of the scope.
///
/// Values of a ``DynamicRecordRepresentable`` type have several record types: they can be inserted, but finding them
/// throws a ``RecordQueryError`` with the code `unknownType`.
public struct RecordRepository<Model: RecordCodable, Database: RecordDatabase>: Sendable {
    /// The database.
    public let database: Database

    private let decoder: RecordDecoder
    private var scopes: [Scope] = []

    private struct Scope: Sendable {
        let filter: QueryFilter<Model>
        let apply: @Sendable (inout Model) -> Void
    }

    /// Makes a repository of all values of a type.
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - database: The database of the records.
    ///   - decoder: How the values are decoded; they are encoded to match it.
    public init(of type: Model.Type = Model.self, in database: Database, decoder: RecordDecoder = RecordDecoder()) {
        self.database = database
        self.decoder = decoder
    }

    /// This repository, restricted to the values in which a property has a value.
    ///
    /// - Parameters:
    ///   - property: The property; it must not be a property of another record.
    ///   - value: Its value.
    /// - Returns: The smaller repository.
    public func scoped<Value: Encodable & Sendable>(
        to property: any WritableKeyPath<Model, Value> & Sendable, _ value: Value
    ) -> RecordRepository { scoped(to: property, in: QueryField(property), value) }

    /// This repository, restricted to the values in which a property has a value.
    ///
    /// For properties whose key paths do not determine the field, such as those with a wrapper.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - field: The field in which it is stored.
    ///   - value: Its value.
    public func scoped<Value: Encodable & Sendable>(
        to property: any WritableKeyPath<Model, Value> & Sendable, in field: QueryField<Model, Value>, _ value: Value
    ) -> RecordRepository {
        var repository = self
        let filter = QueryFilter.compare(field, .equal, value)
        repository.scopes.append(Scope(filter: filter) { $0[keyPath: property] = value })
        return repository
    }
}

// MARK: Reading

extension RecordRepository {
    /// Fetches the value with a name.
    ///
    /// - Parameter name: The name of its record.
    /// - Returns: The value with the versions of its records, to be changed and saved with ``save(_:isolation:)``.
    /// - Throws: ``RecordError/recordNotFound(_:)`` also for a value outside the scope; otherwise as
    ///   ``RecordDatabase/fetch(_:named:decoder:)``.
    public func get(_ name: some RecordNameConvertible) async throws -> sending Stored<Model> {
        try await database.fetch(
            Model.self, from: id(named: name), decoder: decoder, where: { try isInScope($0) })
    }

    /// Fetches the value with a name if it exists.
    ///
    /// - Parameter name: The name of its record.
    /// - Returns: The value with the versions of its records; nil if there is none in the scope.
    /// - Throws: As ``RecordDatabase/fetch(_:named:decoder:)``.
    public func find(_ name: some RecordNameConvertible) async throws -> sending Stored<Model>? {
        try await database.fetchIfPresent(
            Model.self, from: id(named: name), decoder: decoder, where: { try isInScope($0) })
    }

    /// Finds values.
    ///
    /// - Parameter query: Which values; all by default.
    /// - Returns: The values in the order of the query.
    /// - Throws: The errors of ``RecordDatabase/load(_:decoder:)``.
    public func all(_ query: Query<Model> = Query()) async throws -> sending [Model] {
        try await database.load(scoped(query), decoder: decoder)
    }

    /// Finds a page of values.
    ///
    /// - Parameter query: Which values, and how many.
    /// - Returns: The values in the order of the query, and the cursor of the next page.
    /// - Throws: The errors of ``RecordDatabase/page(_:decoder:malformedRecords:)``.
    public func page(_ query: Query<Model>) async throws -> sending QueryPage<Model> {
        try await database.page(scoped(query), decoder: decoder)
    }

    /// Finds the first value for which a filter holds.
    ///
    /// - Parameter filter: The filter.
    /// - Returns: The value; nil if there is none in the scope.
    /// - Throws: The errors of ``RecordDatabase/first(_:decoder:)``.
    public func first(where filter: QueryFilter<Model>) async throws -> sending Model? {
        try await first(Query().filter(filter))
    }

    /// Finds the first value.
    ///
    /// - Parameter query: Which values, in which order.
    /// - Returns: The value; nil if there is none in the scope.
    /// - Throws: The errors of ``RecordDatabase/first(_:decoder:)``.
    public func first(_ query: Query<Model> = Query()) async throws -> sending Model? {
        try await database.first(scoped(query), decoder: decoder)
    }

    /// The number of values.
    ///
    /// - Parameter query: Which values; all by default.
    /// - Returns: The number of values, regardless of the order, limit and cursor of the query.
    /// - Throws: The errors of ``RecordDatabase/count(_:decoder:)``.
    public func count(_ query: Query<Model> = Query()) async throws -> Int {
        try await database.count(scoped(query), decoder: decoder)
    }

    /// Whether a value exists for which a filter holds.
    ///
    /// - Parameter filter: The filter.
    /// - Throws: The errors of ``RecordDatabase/exists(_:decoder:)``.
    public func exists(where filter: QueryFilter<Model>) async throws -> Bool {
        try await database.exists(scoped(Query().filter(filter)), decoder: decoder)
    }

    /// A sequence of all values that a query finds, fetched page by page.
    ///
    /// - Parameter query: The query; its limit is the size of a page. Without a limit the pages grow from 100 to 5,000
    ///   values.
    /// - Returns: The values in the order of the query.
    public func values(_ query: Query<Model> = Query()) -> QueryValues<Model, Database> {
        database.values(scoped(query), decoder: decoder)
    }

    private func id(named name: some RecordNameConvertible) throws -> Record.ID {
        try Model.checkIsFound()
        return try Record.ID(of: Model.self, named: name)
    }

    private func scoped(_ query: Query<Model>) -> Query<Model> {
        scopes.reduce(query) { $0.filter($1.filter) }
    }
}

// MARK: Live values

extension RecordRepository where Database: ObservableRecordDatabase {
    /// The value with a name, now and after each change of a record that it was read from.
    ///
    /// - Parameter name: The name of its record.
    /// - Returns: The values; nil while the record is missing or outside the scope.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)``.
    public func liveValue(_ name: some RecordNameConvertible) throws -> LiveValue<Model, Database> {
        let id = try id(named: name)
        let isInScope: @Sendable (Record) throws -> Bool = { record in try self.isInScope(record) }
        return LiveValue(
            id: id, database: database, decoder: decoder, condition: scopes.isEmpty ? nil : isInScope)
    }

    /// The values that a query finds in the scope, now and after each change.
    ///
    /// ```swift
    /// for try await notes in repository.liveValues(Query().sorted(by: \.text).limit(20)) { show(notes) }
    /// ```
    ///
    /// - Parameter query: Which values, in which order, and how many; all by default.
    /// - Returns: A sequence of pages, each of one moment. A value that enters the scope appears as saved, one that
    ///   leaves it as deleted, and changes outside it do not appear.
    public func liveValues(_ query: Query<Model> = Query()) -> LiveQuery<Model, Database> {
        database.liveValues(scoped(query), decoder: decoder)
    }
}

// MARK: Changing

extension RecordRepository {
    /// Saves a new value.
    ///
    /// - Parameters:
    ///   - value: The value. Its properties of the scope are set to the scope's values, also in an object.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, with the versions of its records.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` if the record exists; the error does not contain the
    ///   existing record if it is outside the scope. Otherwise as
    ///   ``RecordDatabase/insert(_:encoder:decoder:isolation:)``.
    @discardableResult
    public func insert(_ value: Model, isolation: isolated (any Actor)? = #isolation) async throws -> Stored<Model> {
        var value = value
        for scope in scopes { scope.apply(&value) }
        try checkScope(of: value)
        do {
            return try await database.insert(value, decoder: decoder, isolation: isolation)
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Saves the changes of a value since it was fetched.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes. It has the new versions afterwards.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Throws: ``RecordError/recordNotFound(_:)`` for a value that was fetched elsewhere and is outside the scope,
    ///   ``RecordChangeError`` with the code `outsideScope` if the value would leave it; otherwise as
    ///   ``RecordDatabase/save(_:options:isolation:)->()``.
    public func save(_ stored: inout Stored<Model>, isolation: isolated (any Actor)? = #isolation) async throws {
        guard let record = stored.records[stored.id], try isInScope(record) else {
            throw RecordError.recordNotFound(stored.id)
        }
        try checkScope(of: stored.value)
        do {
            try await database.save(&stored, isolation: isolation)
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Reads a value, changes it and saves the changes; starts again if another writer was faster.
    ///
    /// - Parameters:
    ///   - name: The name of the value's record.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times.
    /// - Returns: The value as it was saved.
    /// - Throws: ``RecordError/recordNotFound(_:)`` also for a value outside the scope, ``RecordChangeError`` with the
    ///   code `outsideScope` if the value would leave it; otherwise as
    ///   ``RecordDatabase/update(_:named:options:isolation:_:)``.
    @discardableResult
    public func update(
        _ name: some RecordNameConvertible, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Model) throws -> Void
    ) async throws -> Model {
        let id = try id(named: name)
        do {
            return try await database.update(
                Model.self, from: id, options: UpdateOptions(decoder: decoder), pause: RetryPause(),
                where: { try isInScope($0) }, isolation: isolation
            ) { value in
                try change(&value)
                try checkScope(of: value)
            }.value
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Changes properties of a value in its record, without decoding the value; starts again if another writer was
    /// faster.
    ///
    /// ```swift
    /// try await notes.change(1, .set(\.text, "Sail"), .increment(\.visits), .append("sea", to: \.tags))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the value's record.
    ///   - changes: The changes, which are made in order and saved together.
    /// - Throws: ``RecordError/recordNotFound(_:)`` also for a value outside the scope;
    ///   ``RecordError/newerVersion(of:found:known:type:context:)``; ``RecordChangeError`` with the codes
    ///   `unchangeableField`, also for a new reference to a record that is not in the database, `outsideScope` and, for
    ///   a new `id`, `identityChanged`; ``RecordQueryError`` with the code `unknownField` if the field of a property
    ///   cannot be determined; and the errors of ``RecordDatabase/transaction(maximumAttempts:isolation:_:)``.
    public func change(_ name: some RecordNameConvertible, _ changes: PropertyChange<Model>...) async throws {
        let id = try id(named: name)
        let info = RecordTypeInfo.info(of: Model.self)
        if let fault = info.schemaFault { throw fault }
        do {
            try await database.transaction { transaction in
                guard var record = try await transaction.presentRecords(for: [id]).first, try isInScope(record) else {
                    throw RecordError.recordNotFound(id)
                }
                if let known = info.schema.version, case .int(let version)? = record[Record.versionField],
                    version > known
                {
                    throw RecordError.newerVersion(
                        of: record.id, found: version, known: known, type: "\(Model.self)",
                        context: RecordContext(record: record.id))
                }
                let before = record
                for change in changes { try change.apply(to: &record, decoder.coding) }
                try checkIdentity(of: record, before: before)
                guard try isInScope(record) else { throw RecordChangeError(.outsideScope, recordID: record.id) }
                try await checkTargets(of: record, before: before, in: transaction)
                try await transaction.commit(RecordBatch(saving: [record], savePolicy: .ifUnchanged))
            }
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Deletes the record of a value, and on request the records that it owns and contains.
    ///
    /// - Parameters:
    ///   - name: The name of the value's record.
    ///   - cascading: Whether the records that it owns are deleted too.
    ///   - contents: What to do with the records that it refers to.
    ///   - outsideReferences: What to do with references from records that stay.
    /// - Returns: The deleted IDs, in the order of the deletion.
    /// - Throws: ``RecordError/recordNotFound(_:)`` also for a value outside the scope; otherwise as
    ///   ``RecordDatabase/delete(_:cascading:contents:outsideReferences:)-(Stored<Value>,_,_,_)``.
    @discardableResult
    public func delete(
        _ name: some RecordNameConvertible, cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> [Record.ID] {
        let stored = try await get(name)
        do {
            return try await database.delete(
                stored, cascading: cascading, contents: contents, outsideReferences: outsideReferences)
        } catch {
            throw withoutForeignRecord(error)
        }
    }
}

extension RecordRepository {
    /// Refuses another value in the field that names the record: the value could no longer be read.
    private func checkIdentity(of record: Record, before: Record) throws {
        let field = decoder.coding.keyStrategy.fieldName(for: "id")
        guard Model.self is any Identifiable.Type, record[field] != before[field],
            before[field]?.recordName == before.id.name
        else { return }
        throw RecordChangeError.identityChanged(
            from: before.id, to: try Record.ID(type: before.id.type, name: record[field]?.recordName ?? ""))
    }
}

extension RecordRepository {
    /// Refuses new references to missing records: the value could no longer be read.
    ///
    /// The transaction requires the records that it has read to be unchanged, so they exist when it is committed.
    private func checkTargets(of record: Record, before: Record, in transaction: RecordTransaction) async throws {
        let former = Set(before.references.filter { !$0.isLink }.map(\.id))
        let added = Set(record.references.filter { !$0.isLink }.map(\.id)).subtracting(former)
        if added.isEmpty { return }
        let missing = added.subtracting(try await transaction.presentRecords(for: added.sorted()).map(\.id))
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard !reference.isLink, missing.contains(reference.id) else { continue }
            let fault = "would refer to \(reference.id), which is not in the database: save it first"
            throw RecordChangeError(
                .unchangeableField, reason: "'\(walk.path.pathText)' \(fault)", recordID: record.id)
        }
    }
}

extension Record.Value {
    /// The name of the record with this value as its identifier; nil if the value cannot be an identifier.
    fileprivate var recordName: String? {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}

// MARK: Scopes

extension RecordRepository {
    private func isInScope(_ record: Record) throws -> Bool {
        try scopes.allSatisfy { try $0.filter.make(decoder.coding).matches(record) }
    }

    private func checkScope(of value: Model) throws {
        if scopes.isEmpty { return }
        let graph = try RecordEncoder(decoder.coding).encode(value)
        guard let record = graph.roots.first.flatMap({ graph[$0] }), try isInScope(record) else {
            throw RecordChangeError(.outsideScope, recordID: try Record.ID(of: value))
        }
    }

    /// Removes the database's record from an error if the record is of this type and outside the scope.
    private func withoutForeignRecord(_ error: any Error) -> any Error {
        guard let error = error as? RecordDatabaseError else { return error }
        return error.withoutServerRecord(reason: "its record is outside the scope") { record in
            record.id.type == Model.recordType && (try? isInScope(record)) != true
        }
    }
}

extension RecordRepository: CustomStringConvertible {
    /// The type, the scope and the database.
    public var description: String {
        let scope = scopes.isEmpty ? "" : " where " + scopes.map(\.filter.description).joined(separator: " and ")
        return "\(Model.self) values\(scope) in \(database)"
    }
}

extension RecordRepository: ChildlessReflectable {}
