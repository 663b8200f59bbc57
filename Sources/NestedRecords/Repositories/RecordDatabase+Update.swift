extension RecordDatabase {
    /// Reads a value, changes it and saves the changes; starts again if another writer was faster.
    ///
    /// ```swift
    /// try await database.update(School.self, named: "hogwarts") { school in school.visits += 1 }
    /// ```
    ///
    /// Only the records that the closure changed are sent, as new versions of those that were read, with only the
    /// changed fields changed: fields that the Swift type does not have stay as they are. If the closure changes
    /// nothing, nothing is saved. If one of the value's records has been changed or deleted in the meantime, or a
    /// missing one has been added, nothing is saved either: after a pause the value is read again, and the closure is
    /// called again. An update is a transaction of one value: see ``transaction(maximumAttempts:isolation:_:)``.
    ///
    /// Changes of more records than ``batchLimit`` are saved in several batches. If a later batch is refused, there is
    /// no second attempt, since part of the change is already saved. The other records of a value that is larger than
    /// a batch are checked just before.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - options: How to decode, encode and save it, and how often to try.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times, each time with the value that was just read.
    /// - Returns: The value as it was saved: decoded from the records that the database now holds.
    /// - Throws: The errors of ``update(_:from:options:isolation:_:)`` and
    ///   ``RecordError/invalidID(type:name:reason:context:)``.
    @discardableResult
    public func update<Root: RecordCodable>(
        _ type: Root.Type, named name: some RecordNameConvertible, options: UpdateOptions = UpdateOptions(),
        isolation: isolated (any Actor)? = #isolation, _ change: (inout Root) throws -> Void
    ) async throws -> Root {
        try await update(
            type, from: Record.ID(of: type, named: name), options: options, isolation: isolation, change)
    }

    /// Reads the value with an ID, changes it and saves the changes; starts again if another writer was faster.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - id: The ID of its record.
    ///   - options: How to decode, encode and save it, and how often to try.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times, each time with the value that was just read.
    /// - Returns: The value as it was saved: decoded from the records that the database now holds.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)`` and
    ///   ``RecordEncoder/encode(_:)-(Root)``, and the errors of the closure;
    ///   ``RecordDatabaseError/conflict(client:server:)``, ``RecordDatabaseError/unknownRecord(_:)`` or
    ///   ``RecordDatabaseError/versionMismatch(_:expected:server:)`` when no attempt is left;
    ///   ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)`` if the change is saved, and the value
    ///   cannot be decoded from the new records, such as instances that now contain each other;
    ///   ``RecordChangeError/identityChanged(from:to:)`` if the closure gives the value another identity;
    ///   `CancellationError` if the task is cancelled between two attempts; and the other errors of
    ///   ``save(_:changedFrom:options:)``.
    @discardableResult
    public func update<Root: RecordCodable>(
        _ type: Root.Type, from id: Record.ID, options: UpdateOptions = UpdateOptions(),
        isolation: isolated (any Actor)? = #isolation, _ change: (inout Root) throws -> Void
    ) async throws -> Root {
        try await update(type, from: id, options: options, pause: RetryPause(), isolation: isolation, change).value
    }

    func update<Root: RecordCodable>(
        _ type: Root.Type, from id: Record.ID, options: UpdateOptions, pause: RetryPause,
        where condition: (@Sendable (Record) throws -> Bool)? = nil, ifMatch entityTag: String? = nil,
        isolation: isolated (any Actor)? = #isolation, _ change: (inout Root) throws -> Void
    ) async throws -> Stored<Root> {
        let encoder = options.encoder ?? RecordEncoder(options.decoder.coding)
        let saveOptions = SaveOptions(
            savePolicy: options.savePolicy, deletesRemovedRecords: options.deletesRemovedRecords, maximumAttempts: 1)
        var attempt = 1
        var lastConflict: RecordDatabaseError?
        while true {
            let resolution = try await options.decoder.resolve(type, from: id, in: self, where: condition)
            var stored = Stored(resolution, id: id, decoder: options.decoder)
            if let entityTag, stored.entityTag != entityTag {
                throw RecordDatabaseError(.versionMismatch, recordID: id)
            }
            // A save that overwrites any version needs no conditions.
            let conditions = options.savePolicy == .overwrite ? [] : resolution.unchangedRecords
            let before = try encoder.encode(stored.value)
            try change(&stored.value)
            do {
                try await save(
                    &stored, before: before, conditions: conditions, encoder: encoder, options: saveOptions,
                    isolation: isolation
                ) { conflict in
                    throw RecordDatabaseError.conflict(client: conflict.client, server: conflict.server)
                }
                return stored
            } catch let error as RecordDatabaseError
                where error.isOvertaken(after: lastConflict) && attempt < options.maximumAttempts
            {
                lastConflict = error
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
            }
        }
    }
}

extension RecordDecoder.Resolution {
    /// The conditions that all records are as they were read, and that missing ones are still missing.
    fileprivate var unchangedRecords: [RecordBatch.Condition] {
        let read = source.records.filter { $0.metadata != nil }.map {
            RecordBatch.Condition($0.id, version: RecordBatch.Version(of: $0))
        }
        let missing = Set(dropped.map(\.target)).sorted().map { RecordBatch.Condition($0, version: .missing) }
        return read + missing
    }
}

extension RecordDecoder {
    /// Decodes a value from the records that it was saved as.
    ///
    /// - Throws: ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)``.
    func decode<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID?, saved: [Record.ID: Record.Metadata], in graph: () throws -> RecordGraph
    ) throws -> Root {
        do {
            return try decode(type, from: graph(), root: id)
        } catch {
            throw RecordDatabaseError.savedButNotDecoded(saved, underlyingError: error)
        }
    }
}

extension RecordDatabaseError {
    /// Whether another writer changed or deleted a record since it was read, and nothing was saved.
    ///
    /// - Parameter last: The error of the previous attempt. A record that the value does not read, and that is in the
    ///   same conflict again, will always be in conflict.
    fileprivate func isOvertaken(after last: RecordDatabaseError?) -> Bool {
        guard isOvertaken else { return false }
        guard code == .conflict, clientRecord?.metadata == nil, last?.recordID == recordID else { return true }
        return last?.serverRecord?.metadata != serverRecord?.metadata
    }
}
