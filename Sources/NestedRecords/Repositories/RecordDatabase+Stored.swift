// MARK: Fetching

extension RecordDatabase {
    /// Fetches the value with a name, together with the versions of its records.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value, to be changed and saved with ``save(_:options:isolation:)->()``.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Stored<Value> {
        try await fetch(type, from: Record.ID(of: type, named: name), decoder: decoder)
    }

    /// Fetches the value with an ID, together with the versions of its records.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - id: The ID of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value, to be changed and saved.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, from id: Record.ID, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Stored<Value> {
        try await fetch(type, from: id, decoder: decoder, where: nil)
    }

    /// Fetches the value with an ID, if a condition holds for its own record.
    ///
    /// - Parameter condition: Is checked before anything is decoded; nil for no condition.
    /// - Throws: ``RecordError/recordNotFound(_:)`` also if the condition does not hold.
    func fetch<Value: RecordDecodable>(
        _ type: Value.Type, from id: Record.ID, decoder: RecordDecoder,
        where condition: (@Sendable (Record) throws -> Bool)?
    ) async throws -> sending Stored<Value> {
        let resolution = try await decoder.resolve(type, from: id, in: self, where: condition)
        return Stored(resolution, id: id, decoder: decoder)
    }

    /// Fetches the value with a name, together with the versions of its records, if it exists.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value, to be changed and saved; nil if there is no such record.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``.
    public func fetchIfPresent<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Stored<Value>? {
        try await fetchIfPresent(type, from: Record.ID(of: type, named: name), decoder: decoder)
    }

    /// Fetches the value with an ID, together with the versions of its records, if it exists.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - id: The ID of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The value, to be changed and saved; nil if there is no such record.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,_)``.
    public func fetchIfPresent<Value: RecordDecodable>(
        _ type: Value.Type, from id: Record.ID, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Stored<Value>? {
        try await fetchIfPresent(type, from: id, decoder: decoder, where: nil)
    }

    /// Fetches the value with an ID; nil if there is no record for which a condition holds.
    func fetchIfPresent<Value: RecordDecodable>(
        _ type: Value.Type, from id: Record.ID, decoder: RecordDecoder,
        where condition: (@Sendable (Record) throws -> Bool)?
    ) async throws -> sending Stored<Value>? {
        do {
            return try await fetch(type, from: id, decoder: decoder, where: condition)
        } catch let error as RecordError where error.code == .recordNotFound && error.recordID == id {
            return nil
        }
    }

    /// Fetches several values together, with the versions of their records.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the values.
    ///   - ids: The IDs of their records.
    ///   - decoder: How to decode them.
    /// - Returns: The values in the order of the IDs, each to be changed and saved on its own.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``, also if a single record is missing.
    public func fetch<Value: RecordDecodable>(
        _ type: Value.Type, from ids: [Record.ID], decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending [Stored<Value>] {
        let resolution = try await decoder.resolve(type, from: ids, in: self)
        return zip(ids, resolution.value).map { id, value in
            Stored(value, id: id, records: resolution.source, decoder: decoder)
        }
    }
}

// MARK: Saving

extension RecordDatabase {
    /// Saves the changes of a value since it was fetched.
    ///
    /// Only the changed records are sent, as new versions of those that were read, with only the changed fields
    /// changed. If another writer has changed or deleted one of them, nothing is saved. Records that are new in the
    /// value must be new in the database, or exist with the same fields, and perhaps more: then they stay unchanged.
    /// Without changes there is no call.
    ///
    /// Afterwards the value is decoded again from the saved records, so that its timestamps and metadata are those of
    /// this save; an object is replaced by another instance.
    ///
    /// - Parameters:
    ///   - stored: The value, as it was fetched or saved last, with its changes. It has the new versions afterwards;
    ///     after an interrupted save it has those of the saved records.
    ///   - options: What to do with records that were removed. The save policy applies where the database holds another
    ///     version; ``SavePolicy/ifUnchanged`` is the default.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` and ``RecordDatabaseError/unknownRecord(_:)`` if
    ///   another writer was faster; ``RecordChangeError/identityChanged(from:to:)`` if the value has another
    ///   identity; the errors of ``RecordEncoder/encode(_:)-(Root)`` and ``save(_:changedFrom:options:)``;
    ///   ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)`` if the value is saved and cannot be decoded.
    public func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, options: SaveOptions = SaveOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await save(&stored, options: options, isolation: isolation) { conflict in
            throw RecordDatabaseError.conflict(client: conflict.client, server: conflict.server)
        }
    }

    /// Saves the changes of a value since it was fetched, and merges them with the changes of other writers.
    ///
    /// Like ``save(_:options:isolation:)->()``, but if another writer has changed one of the records, the policy
    /// decides what to save, and afterwards the value is fetched again.
    ///
    /// ```swift
    /// try await database.save(&school, merging: .fieldwise)
    /// ```
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - policy: How to merge.
    ///   - options: What to do with records that were removed, and how often to try.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Throws: ``RecordChangeError/contestedField(_:in:)`` for a field that both writers have changed to different
    ///   values; otherwise as without a policy.
    public func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, merging policy: MergePolicy, options: SaveOptions = SaveOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await save(&stored, options: options, isolation: isolation) { try policy.merge($0) }
    }

    /// Saves the changes of a value since it was fetched, and calls a closure for each record that other writers
    /// have changed.
    ///
    /// Like ``save(_:merging:options:isolation:)->()``, with a closure.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - options: What to do with records that were removed, and how often to try.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - merge: Returns the record to save in place of one in conflict, with the same ID. The ancestor of the
    ///     conflict is the record that was read.
    /// - Throws: The errors of the closure; otherwise as without a closure.
    public func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, options: SaveOptions = SaveOptions(),
        isolation: isolated (any Actor)? = #isolation, merging merge: (SaveConflict) async throws -> Record
    ) async throws {
        try await save(
            &stored, before: nil, encoder: RecordEncoder(stored.decoder.coding), options: options,
            isolation: isolation, merging: merge)
    }

    /// Saves the changes of a value since it was fetched, and returns the value with its new versions.
    ///
    /// ```swift
    /// school = try await database.save(school)
    /// ```
    ///
    /// For variables that cannot be passed with `&` to an asynchronous function: those of actors, and global ones.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - options: What to do with records that were removed.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, to be changed and saved next.
    /// - Throws: As ``save(_:options:isolation:)->()``.
    public func save<Value: RecordCodable>(
        _ stored: Stored<Value>, options: SaveOptions = SaveOptions(), isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        var stored = stored
        try await save(&stored, options: options, isolation: isolation)
        return stored
    }

    /// Saves the changes of a value since it was fetched, merges them with the changes of other writers, and returns
    /// the merged value.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - policy: How to merge.
    ///   - options: What to do with records that were removed, and how often to try.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The merged value, to be changed and saved next.
    /// - Throws: As ``save(_:merging:options:isolation:)->()``.
    public func save<Value: RecordCodable>(
        _ stored: Stored<Value>, merging policy: MergePolicy, options: SaveOptions = SaveOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        var stored = stored
        try await save(&stored, merging: policy, options: options, isolation: isolation)
        return stored
    }

    /// Saves the changes of a value since it was fetched, calls a closure for each record that other writers have
    /// changed, and returns the saved value.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - options: What to do with records that were removed, and how often to try.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - merge: Returns the record to save in place of one in conflict, with the same ID.
    /// - Returns: The merged value, to be changed and saved next.
    /// - Throws: As ``save(_:options:isolation:merging:)->()``.
    public func save<Value: RecordCodable>(
        _ stored: Stored<Value>, options: SaveOptions = SaveOptions(), isolation: isolated (any Actor)? = #isolation,
        merging merge: (SaveConflict) async throws -> Record
    ) async throws -> Stored<Value> {
        var stored = stored
        try await save(&stored, options: options, isolation: isolation, merging: merge)
        return stored
    }

    /// Saves the changes of a value since it was fetched.
    ///
    /// - Parameters:
    ///   - before: The records of the fetched value, encoded from it; nil to decode and encode it again.
    ///   - conditions: The versions that other records must have.
    func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, before: RecordGraph?, conditions: [RecordBatch.Condition] = [],
        encoder: RecordEncoder, options: SaveOptions,
        isolation: isolated (any Actor)?, merging merge: (SaveConflict) async throws -> Record
    ) async throws {
        let (id, read) = (stored.id, stored.records.graph(root: stored.id))
        let before = try before ?? encoder.encode(stored.decoder.decode(Value.self, from: read, root: id))
        let after = try encoder.encode(stored.value, for: self)
        let (form, graphs) = (StoredForm(stored.decoder.coding.fieldNaming), [before, after])
        guard after.roots == [id] else {
            throw RecordChangeError.identityChanged(from: id, to: after.roots.first ?? id)
        }
        let change = RecordUpdate(
            of: form.present(read, graphs), from: before, to: after, former: stored.formerRecords)
        let removed = Set(change.deletions.map(\.id))
        let openDeletions = stored.openDeletions.filter { after[$0.id] == nil && !removed.contains($0.id) }
        var save = BatchedSave(
            records: form.coveringFormerFields(change.records, changedFrom: before),
            deletions: options.deletesRemovedRecords ? openDeletions + change.deletions : [],
            savePolicy: options.savePolicy ?? .ifUnchanged)
        if save.isEmpty { return }
        if !conditions.isEmpty {
            let named = Set(save.records.map(\.id) + save.deletions.map(\.id))
            save.conditions = conditions.filter { !named.contains($0.id) }
        }
        for id in removed { stored.formerRecords[id] = before[id] }
        let conflicts: BatchedSave.Conflicts
        do {
            conflicts = try await save.send(
                to: self, maximumAttempts: options.maximumAttempts, isolation: isolation, isNew: { _ in false },
                ancestor: { client, _ in client.metadata == nil ? nil : read[client.id] }
            ) { conflict in
                func present(_ record: Record) -> Record { form.present(record, graphs) ?? record }
                return try await merge(
                    SaveConflict(
                        client: conflict.client, server: present(conflict.server),
                        ancestor: conflict.ancestor.map(present)))
            }
        } catch {
            // Keeps the state of an interrupted save, so that it can be repeated.
            stored.records.update(save.savedRecords)
            stored.records.remove(save.deletedIDs)
            stored.openDeletions = options.deletesRemovedRecords ? save.openDeletions : openDeletions
            throw error
        }
        stored.openDeletions = options.deletesRemovedRecords ? [] : openDeletions
        var records = stored.records
        records.update(save.savedRecords + conflicts.equal.values)
        records.remove(save.deletedIDs)
        do {
            // Another writer's records may refer to records that were not read.
            if !conflicts.merged.isEmpty || !records.hasTargets(of: conflicts.equal.values) {
                let fetched = try await fetch(Value.self, from: id, decoder: stored.decoder)
                (stored.value, stored.records, stored.savedIDs) = (fetched.value, fetched.records, nil)
            } else {
                stored.records = records
                let saved = try stored.decoder.decodeReached(Value.self, from: records.graph(root: id), root: id)
                stored.value = saved.value
                stored.savedIDs = saved.records.records.map(\.id)
            }
        } catch {
            throw RecordDatabaseError.savedButNotDecoded(save.saved, underlyingError: error)
        }
    }

    /// Saves a new value.
    ///
    /// ```swift
    /// var school = try await database.insert(School(id: "hilltop", name: "Hilltop"))
    /// ```
    ///
    /// Records that are nested in it must be new too, or exist with the same fields, and perhaps more: then they stay
    /// unchanged.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: How to encode it; nil for an encoder that matches the decoder.
    ///   - decoder: How to decode the saved value.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, with the versions of its records, to be changed and saved again.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` if the record exists, and nothing is saved; the
    ///   errors of ``RecordEncoder/encode(_:)-(Root)`` and ``save(_:changedFrom:options:)``;
    ///   ``RecordDatabaseError/savedButNotDecoded(_:underlyingError:)`` if the value is saved and cannot be decoded.
    @discardableResult
    public func insert<Value: RecordCodable>(
        _ value: Value, encoder: RecordEncoder? = nil, decoder: RecordDecoder = RecordDecoder(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        try await insert(
            [value], encoder: encoder ?? RecordEncoder(decoder.coding), decoder: decoder, isolation: isolation)[0]
    }

    /// Saves new values, or replaces existing ones.
    ///
    /// - Parameter savePolicy: Whether to refuse existing records of the values, or to overwrite all records.
    func insert<Value: RecordCodable>(
        _ values: [Value], encoder: RecordEncoder, decoder: RecordDecoder, savePolicy: SavePolicy = .ifUnchanged,
        isolation: isolated (any Actor)?
    ) async throws -> [Stored<Value>] {
        let graph = try encoder.encode(values, for: self)
        let roots = Set(graph.roots)
        // The version that a value was read with is ignored: the record must be new.
        var save = BatchedSave(
            records: graph.map { Record(id: $0.id, checkedFields: $0.fields) }, savePolicy: savePolicy)
        let conflicts = try await save.send(
            to: self, maximumAttempts: 1, isolation: isolation, isNew: { roots.contains($0) }, ancestor: { _, _ in nil }
        ) { conflict in
            throw RecordDatabaseError.conflict(client: conflict.client, server: conflict.server)
        }
        var records = ResolvedRecords(roots: graph.roots, records: [], index: RecordIndex())
        records.update(save.savedRecords + conflicts.equal.values)
        do {
            // An existing record may refer to records that are not part of the values.
            guard records.hasTargets(of: conflicts.equal.values) else {
                return try await fetch(Value.self, from: graph.roots, decoder: decoder)
            }
            return try graph.roots.map { id in
                let saved = try decoder.decodeReached(Value.self, from: records.graph(root: id), root: id)
                return Stored(saved.value, id: id, records: saved.records, decoder: decoder)
            }
        } catch {
            throw RecordDatabaseError.savedButNotDecoded(save.saved, underlyingError: error)
        }
    }
}
