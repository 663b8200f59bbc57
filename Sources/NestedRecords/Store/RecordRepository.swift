/// The values of one Swift type in a store, or only those in which a property has a certain value.
///
/// ```swift
/// let notes = RecordRepository(of: Note.self, in: store).scoped(to: \.owner, "ann")
/// let note = try await notes.insert(Note(id: 1, owner: "", text: "Buy maps"))  // the owner is "ann"
/// try await notes.update(1) { $0.text += "!" }
/// print(try await notes.query.count())
/// ```
///
/// A scope is a property and its value. It is added to every query, and set in every inserted value. Values outside the
/// scope are not found, and no value is moved out of the scope.
///
/// Values of a ``DynamicRecordRepresentable`` type have several record types: they can be inserted, but finding them
/// throws a ``RecordError`` with the code `unknownType`.
public struct RecordRepository<Model: RecordCodable>: Sendable {
    /// The store.
    public let store: RecordStore

    private var scopes: [Scope] = []

    private struct Scope: Sendable {
        let filter: QueryFilter<Model>
        let apply: @Sendable (inout Model) -> Void
    }

    /// Makes a repository of all values of a type.
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - store: The store of the values.
    public init(of type: Model.Type = Model.self, in store: RecordStore) { self.store = store }

    /// This repository, restricted to the values in which a property has a value.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - field: The field in which it is stored, if the property's name does not determine it.
    ///   - value: Its value.
    /// - Returns: The smaller repository.
    public func scoped<Value: Encodable & Sendable>(
        to property: any WritableKeyPath<Model, Value> & Sendable, in field: QueryField<Model, Value>? = nil,
        _ value: Value
    ) -> RecordRepository {
        var repository = self
        let field = field ?? QueryField([.property(property)])
        repository.scopes.append(Scope(filter: field == value) { $0[keyPath: property] = value })
        return repository
    }
}

// MARK: Reading

extension RecordRepository {
    /// Fetches the value with a name.
    ///
    /// - Parameter name: The name of its record.
    /// - Returns: The value with the versions of its records, to be changed and saved with ``save(_:isolation:)``.
    /// - Throws: `RecordError.Code.recordNotFound` also for a value outside the scope; otherwise as
    ///   ``RecordStore/fetch(_:named:)-(_,RecordNameConvertible)``.
    public func fetch(_ name: some RecordNameConvertible) async throws -> sending Stored<Model> {
        try await store.fetch(Model.self, from: id(named: name)) { try isInScope($0) }
    }

    /// Fetches the value with a name if it exists.
    ///
    /// - Parameter name: The name of its record.
    /// - Returns: The value with the versions of its records; nil if there is none in the scope.
    /// - Throws: As ``RecordStore/fetchIfPresent(_:named:)``.
    public func fetchIfPresent(_ name: some RecordNameConvertible) async throws -> sending Stored<Model>? {
        try await store.fetchIfPresent(Model.self, from: id(named: name)) { try isInScope($0) }
    }

    /// A query for the values in the scope.
    public var query: Query<Model> {
        scopes.reduce(store.query(Model.self)) { query, scope in query.filter { _ in scope.filter } }
    }

    private func id(named name: some RecordNameConvertible) throws -> Record.ID {
        try Model.checkIsFound()
        return try Record.ID(of: Model.self, named: name)
    }

    /// The value with a name, now and after each change of a record that it was read from.
    ///
    /// - Parameter name: The name of its record.
    /// - Returns: The values; nil while the record is missing or outside the scope.
    public func live(_ name: some RecordNameConvertible) -> DatabaseSequence<Stored<Model>?> {
        store.live(Model.self, Result { try id(named: name) }, where: { try isInScope($0) })
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
    ///   existing record if it is outside the scope. Otherwise as ``RecordStore/insert(_:isolation:)-(Value,_)``.
    @discardableResult
    public func insert(_ value: Model, isolation: isolated (any Actor)? = #isolation) async throws -> Stored<Model> {
        var value = value
        for scope in scopes { scope.apply(&value) }
        try checkScope(of: value)
        do {
            return try await store.insert(value, isolation: isolation)
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Saves the changes of a value since it was fetched.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes. It has the new versions afterwards.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Throws: `RecordError.Code.recordNotFound` for a value that was fetched elsewhere and is outside the scope,
    ///   ``RecordError`` with the code `outsideScope` if the value would leave it; otherwise as
    ///   ``RecordStore/save(_:merging:deletesRemovedRecords:isolation:)->()``.
    public func save(_ stored: inout Stored<Model>, isolation: isolated (any Actor)? = #isolation) async throws {
        guard let record = stored.ownOrigin.records[stored.recordID], try isInScope(record) else {
            throw RecordError.recordNotFound(stored.recordID)
        }
        try checkScope(of: stored.value)
        do {
            try await store.save(&stored, isolation: isolation)
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
    /// - Throws: `RecordError.Code.recordNotFound` also for a value outside the scope, ``RecordError`` with the
    ///   code `outsideScope` if the value would leave it; otherwise as
    ///   ``RecordStore/update(_:named:ifMatch:deletesRemovedRecords:isolation:_:)``.
    @discardableResult
    public func update(
        _ name: some RecordNameConvertible, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Model) throws -> Void
    ) async throws -> Stored<Model> {
        let id = try id(named: name)
        do {
            return try await store.update(
                Model.self, from: id, where: { try isInScope($0) }, isolation: isolation
            ) { value in
                try change(&value)
                try checkScope(of: value)
            }
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Changes properties of a value in its record, without decoding the value.
    ///
    /// - Parameters:
    ///   - name: The name of the value's record.
    ///   - changes: The changes, one a line, which are made in order and saved together.
    /// - Throws: `RecordError.Code.recordNotFound` also for a value outside the scope; ``RecordError`` also with
    ///   the code `outsideScope`; otherwise as ``RecordStore/change(_:named:_:)``.
    public func change(
        _ name: some RecordNameConvertible,
        @PropertyChangeBuilder<Model> _ changes: (QueryField<Model, Model>) -> PropertyChange<Model>
    ) async throws {
        let id = try id(named: name)
        do {
            try await store.change(id, changes(QueryField([]))) { try isInScope($0) }
        } catch {
            throw withoutForeignRecord(error)
        }
    }

    /// Deletes the record of a value.
    ///
    /// - Parameters:
    ///   - name: The name of the value's record.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The deleted IDs, in the order of the deletion.
    /// - Throws: `RecordError.Code.recordNotFound` also for a value outside the scope; otherwise as
    ///   ``RecordStore/delete(_:_:)``.
    @discardableResult
    public func delete(
        _ name: some RecordNameConvertible, _ options: DeletionOptions = []
    ) async throws -> [Record.ID] {
        let stored = try await fetch(name)
        do {
            return try await store.delete(stored, options)
        } catch {
            throw withoutForeignRecord(error)
        }
    }
}

// MARK: Scopes

extension RecordRepository {
    private func isInScope(_ record: Record) throws -> Bool {
        try scopes.allSatisfy { try $0.filter.make(store.coding).matches(record) }
    }

    private func checkScope(of value: Model) throws {
        if scopes.isEmpty { return }
        let graph = try store.encoder.encode(value)
        guard let record = graph.roots.first.flatMap({ graph[$0] }), try isInScope(record) else {
            throw RecordError(.outsideScope, recordID: try Record.ID(of: value))
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
        return "\(Model.self) values\(scope) in \(store.database)"
    }
}

extension RecordRepository: ChildlessReflectable {}
