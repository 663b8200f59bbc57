/// A database of records, as the values that they hold.
///
/// ```swift
/// let store = RecordStore(InMemoryRecordDatabase())
/// try await store.insert(school)
/// var school = try await store.fetch(School.self, named: "hilltop")
/// school.name = "Hill Top"
/// try await store.save(&school)
/// ```
///
/// Reading returns ``Stored`` values, with the versions of the records that they were read from. Saving and deleting
/// require these versions, unless the name of the function says otherwise.
///
/// A store is small and can be copied. It holds its database and the ``RecordCoding`` of its values.
public struct RecordStore: Sendable {
    /// The database.
    public let database: any RecordDatabase

    let decoder: RecordDecoder

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - coding: How values become records and records become values.
    public init(_ database: any RecordDatabase, coding: RecordCoding = RecordCoding()) {
        self.init(database, RecordDecoder(coding))
    }

    private init(_ database: any RecordDatabase, _ decoder: RecordDecoder) {
        (self.database, self.decoder) = (database, decoder)
    }

    /// How values become records and records become values.
    public var coding: RecordCoding { decoder.coding }

    private var encoder: RecordEncoder { RecordEncoder(coding) }
}

// MARK: Reading

extension RecordStore {
    /// Fetches the value with a name.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: ``RecordError/recordNotFound(_:)`` if there is no such record, and the errors of
    ///   ``RecordDecoder/decode(_:named:in:)``.
    /// - Complexity: One call to the database for each level of references.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible
    ) async throws -> sending Stored<Value> {
        try await database.fetch(type, named: name, decoder: decoder)
    }

    /// Fetches the value with a name if it exists.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    /// - Returns: The value; nil if there is no such record.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``.
    public func fetchIfPresent<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible
    ) async throws -> sending Stored<Value>? {
        try await database.fetchIfPresent(type, named: name, decoder: decoder)
    }

    /// Fetches the values with these names together.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the values.
    ///   - names: The names of their records.
    /// - Returns: The values in the order of the names. They share the records that they have in common.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``, also if a single record is missing.
    /// - Complexity: One call to the database for each level of references of all values together.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, named names: [some RecordNameConvertible]
    ) async throws -> sending [Stored<Value>] {
        let ids = try names.map { try Record.ID(of: type, named: $0) }
        return try await database.fetch(type, from: ids, decoder: decoder)
    }
}

// MARK: Writing

extension RecordStore {
    /// Saves a new value.
    ///
    /// Records that are nested in it must be new too, or exist with the same fields, and perhaps more: then they stay
    /// unchanged.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, with the versions of its records.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` if the record exists, and nothing is saved; the
    ///   errors of ``RecordEncoder/encode(_:)-(Root)`` and of the database;
    ///   ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)`` if the value is saved and cannot be decoded.
    @discardableResult
    public func insert<Value: RecordCodable>(
        _ value: Value, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        try await database.insert([value], encoder: encoder, decoder: decoder, isolation: isolation)[0]
    }

    /// Saves new values together: all of them, or nothing if one of them exists.
    ///
    /// More records than ``RecordDatabase/batchLimit`` are saved in several batches, and an error can leave the first
    /// ones saved: ``RecordDatabaseError/partiallySaved(_:underlyingError:)``.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The values as they were saved, in their order.
    /// - Throws: The errors of ``insert(_:isolation:)-(Value,_)``.
    @discardableResult
    public func insert<Value: RecordCodable>(
        _ values: [Value], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Stored<Value>] {
        try await database.insert(values, encoder: encoder, decoder: decoder, isolation: isolation)
    }

    /// Saves the changes of a value since it was fetched.
    ///
    /// Only the changed records are sent, as new versions of those that were read, with only the changed fields
    /// changed. If another writer has changed or deleted one of them, nothing is saved. Without changes there is no
    /// call.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes. It has the new versions afterwards.
    ///   - policy: How to merge a record that another writer has changed; nil to fail.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` and ``RecordDatabaseError/unknownRecord(_:)`` if
    ///   another writer was faster; ``RecordChangeError/contestedField(_:in:)`` for a field that both writers have
    ///   changed to different values; ``RecordChangeError/identityChanged(from:to:)`` if the value has another
    ///   identity; the errors of ``RecordEncoder/encode(_:)-(Root)`` and of the database.
    public func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, merging policy: MergePolicy? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await database.save(&stored, isolation: isolation) { conflict in
            guard let policy else {
                throw RecordDatabaseError.conflict(client: conflict.client, server: conflict.server)
            }
            return try policy.merge(conflict)
        }
    }

    /// Saves the changes of a value since it was fetched, and returns the value with its new versions.
    ///
    /// For variables that cannot be passed with `&` to an asynchronous function: properties of actors, and global ones.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - policy: How to merge a record that another writer has changed; nil to fail.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, to be changed and saved next.
    /// - Throws: The errors of ``save(_:merging:isolation:)->()``.
    public func save<Value: RecordCodable>(
        _ stored: Stored<Value>, merging policy: MergePolicy? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        var stored = stored
        try await save(&stored, merging: policy, isolation: isolation)
        return stored
    }

    /// Fetches a value, changes it and saves the changes; starts again if another writer was faster.
    ///
    /// ```swift
    /// try await store.update(School.self, named: "hilltop") { $0.visits += 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - entityTag: The ``Stored/entityTag`` that the value must have when it is fetched; nil for any.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times, each time with the value that was just fetched.
    /// - Returns: The value as it was saved, with the versions of its records.
    /// - Throws: ``RecordError/recordNotFound(_:)`` if there is no such record;
    ///   ``RecordDatabaseError/versionMismatch(_:expected:server:)`` if the value has another entity tag;
    ///   ``RecordChangeError/identityChanged(from:to:)`` if the closure gives the value another identity; the
    ///   errors of the closure; and those of ``save(_:merging:isolation:)->()`` if no attempt is left.
    @discardableResult
    public func update<Value: RecordCodable>(
        _ type: Value.Type, named name: some RecordNameConvertible, ifMatch entityTag: String? = nil,
        isolation: isolated (any Actor)? = #isolation, _ change: (inout Value) throws -> Void
    ) async throws -> Stored<Value> {
        try await database.update(
            type, from: Record.ID(of: type, named: name), options: UpdateOptions(decoder: decoder),
            pause: RetryPause(), ifMatch: entityTag, isolation: isolation, change)
    }

    /// Saves a value, and overwrites any version of its records.
    ///
    /// Changes of other writers are lost, and so are fields that the Swift types do not have.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, with the versions of its records.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and of the database;
    ///   ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)`` if the value is saved and cannot be decoded.
    @discardableResult
    public func overwrite<Value: RecordCodable>(
        _ value: Value, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        try await database.insert(
            [value], encoder: encoder, decoder: decoder, savePolicy: .overwrite, isolation: isolation)[0]
    }

    /// Reads and writes values without changes of other writers in between; starts again if another writer was faster.
    ///
    /// The writes of the closure are saved in one batch when it returns. If the closure throws, nothing is saved. The
    /// store of a transaction that has ended refuses every call.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: Reads and writes with the store that it gets. It may be called several times, so it should change
    ///     nothing else.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of the closure, and the errors of
    ///   ``RecordDatabase/transaction(maximumAttempts:isolation:_:)``.
    @discardableResult
    public func transaction<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (RecordStore) async throws -> Result
    ) async throws -> Result {
        try await database.transaction(isolation: isolation) { try await body(RecordStore($0, decoder)) }
    }
}

// MARK: Deleting

extension RecordStore {
    /// Deletes the record with a name.
    ///
    /// A missing record is no error.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value, which is not decoded.
    ///   - name: The name of its record.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The IDs of the deleted records, in the order of the deletion; none if the record is missing.
    /// - Throws: ``RecordDatabaseError/stillReferenced(_:)`` if other records refer to it, unless an option says what to do
    ///   with these references; what keeps the database from reading and saving; in a later one of several batches
    ///   ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``.
    /// - Complexity: A pass over all records, unless the database has an index of references.
    @discardableResult
    public func delete<Value: RecordRepresentable>(
        _ type: Value.Type, named name: some RecordNameConvertible, _ options: DeletionOptions = []
    ) async throws -> [Record.ID] {
        try await database.deleteAsPlanned(
            [Record.ID(of: type, named: name)], options.contains(.cascading), options.contents,
            options.outsideReferences)
    }

    /// Deletes the record of a value that was fetched, if it still has the version that was read.
    ///
    /// - Parameters:
    ///   - stored: The value.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The IDs of the deleted records, in the order of the deletion.
    /// - Throws: ``RecordDatabaseError/versionMismatch(_:expected:server:)`` if another writer has changed or deleted the
    ///   record, or a record of the value that would be deleted with it; otherwise as ``delete(_:named:_:)``.
    @discardableResult
    public func delete<Value>(
        _ stored: Stored<Value>, _ options: DeletionOptions = []
    ) async throws -> [Record.ID] {
        try await database.delete(
            stored, cascading: options.contains(.cascading), contents: options.contents,
            outsideReferences: options.outsideReferences)
    }

    /// What ``delete(_:named:_:)`` with the same arguments would do.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The records that would be deleted and why, the missing record, and the references that prevent the
    ///   deletion or would dangle. Nothing is changed.
    /// - Throws: What keeps the database from reading.
    public func plan<Value: RecordRepresentable>(
        deleting type: Value.Type, named name: some RecordNameConvertible, _ options: DeletionOptions = []
    ) async throws -> DeletionPlan {
        try await database.deletionPlan(
            for: Record.ID(of: type, named: name), cascading: options.contains(.cascading), contents: options.contents,
            outsideReferences: options.outsideReferences)
    }
}

extension RecordStore: CustomStringConvertible {
    /// The database.
    public var description: String { "RecordStore of \(database)" }
}

extension RecordStore: ChildlessReflectable {}
