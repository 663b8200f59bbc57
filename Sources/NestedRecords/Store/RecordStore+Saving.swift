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
    /// - Throws: `RecordDatabaseError.Code.conflict` if the record exists, and nothing is saved; the
    ///   errors of ``RecordEncoder/encode(_:)-(Root)`` and of the database; `RecordError.Code.undecodableValue` if the
    ///   value cannot be decoded from what it encodes, and nothing is saved;
    ///   `RecordDatabaseError.Code.savedButNotDecoded` if the value is saved, and cannot be decoded from the nested
    ///   records that existed before.
    @discardableResult
    public func insert<Value: RecordCodable>(
        _ value: Value, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        try await insert([value], .ifUnchanged, isolation: isolation)[0]
    }

    /// Saves new values together: all of them, or nothing if one of them exists.
    ///
    /// More records than ``RecordDatabase/limits`` are saved in several batches, and an error can leave the first
    /// ones saved: `RecordDatabaseError.Code.partiallySaved`.
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
        try await insert(values, .ifUnchanged, isolation: isolation)
    }

    /// Saves the changes of a value since it was fetched.
    ///
    /// Only the changed records are sent, as new versions of those that were read, with only the changed fields
    /// changed. If another writer has changed or deleted one of them, nothing is saved. Without changes there is no
    /// call.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes. It has the new versions afterwards. The value itself stays as the caller has
    ///     it, unless it depends on what the database adds, or other writers have changed it since it was read.
    ///   - merge: Returns the record to save in place of one that another writer has changed, with the same ID, such as
    ///     ``SaveConflict/merged()``; nil to fail. After it has thrown, it is still called for the other such records.
    ///   - deletesRemovedRecords: Whether to delete the records that the value no longer contains. Each must have the
    ///     version that was read. Other records may still refer to them.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Throws: `RecordDatabaseError.Code.conflict` and `RecordDatabaseError.Code.unknownRecord` if
    ///   another writer was faster; `RecordError.Code.contestedField` for a field that both writers have
    ///   changed to different values; `RecordError.Code.identityChanged` if the value has another
    ///   identity; `RecordError.Code.incompletelyRead` if a value is changed of which the read has left something out,
    ///   and it is not certain how the change applies to what is stored; `RecordError.Code.undecodableValue` if the
    ///   value cannot be decoded from what it encodes, and nothing is saved;
    ///   `RecordDatabaseError.Code.savedButNotDecoded` if it is saved, and cannot be decoded from what other writers
    ///   have stored; the errors of ``RecordEncoder/encode(_:)-(Root)`` and of the database.
    public func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, merging merge: ((SaveConflict) throws -> Record)? = nil,
        deletesRemovedRecords: Bool = false, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await save(
            &stored, deletesRemovedRecords: deletesRemovedRecords, retries, merge, isolation: isolation)
    }

    /// Saves the changes of a value since it was fetched, and returns the value with its new versions.
    ///
    /// For variables that cannot be passed with `&` to an asynchronous function: properties of actors, and global ones.
    ///
    /// - Parameters:
    ///   - stored: The value with its changes.
    ///   - merge: Returns the record to save in place of one that another writer has changed, with the same ID, such as
    ///     ``SaveConflict/merged()``; nil to fail. After it has thrown, it is still called for the other such records.
    ///   - deletesRemovedRecords: Whether to delete the records that the value no longer contains. Each must have the
    ///     version that was read. Other records may still refer to them.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The value as it was saved, to be changed and saved next.
    /// - Throws: The errors of ``save(_:merging:deletesRemovedRecords:isolation:)->()``.
    public func save<Value: RecordCodable>(
        _ stored: Stored<Value>, merging merge: ((SaveConflict) throws -> Record)? = nil,
        deletesRemovedRecords: Bool = false, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        var stored = stored
        try await save(
            &stored, merging: merge, deletesRemovedRecords: deletesRemovedRecords, isolation: isolation)
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
    ///   - deletesRemovedRecords: Whether to delete the records that the value no longer contains.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times, each time with the value that was just fetched.
    /// - Returns: The value as it was saved, with the versions of its records.
    /// - Throws: `RecordError.Code.recordNotFound` if there is no such record;
    ///   `RecordDatabaseError.Code.versionMismatch` if the value has another entity tag;
    ///   `RecordError.Code.identityChanged` if the closure gives the value another identity; the
    ///   errors of the closure; and those of ``save(_:merging:deletesRemovedRecords:isolation:)->()`` if no attempt is
    ///   left.
    @discardableResult
    public func update<Value: RecordCodable>(
        _ type: Value.Type, named name: some RecordNameConvertible, ifMatch entityTag: String? = nil,
        deletesRemovedRecords: Bool = false, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Value) throws -> Void
    ) async throws -> Stored<Value> {
        try await update(
            type, from: Record.ID(of: type, named: name), ifMatch: entityTag,
            deletesRemovedRecords: deletesRemovedRecords, isolation: isolation, change)
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
    ///   `RecordError.Code.undecodableValue` if the value cannot be decoded from what it encodes, and nothing is saved.
    @discardableResult
    public func overwrite<Value: RecordCodable>(
        _ value: Value, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Stored<Value> {
        try await insert([value], .overwrite, isolation: isolation)[0]
    }

    /// Saves values, and overwrites any version of their records.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - isolation: The caller's isolation; the encoding and decoding happens there.
    /// - Returns: The values as they were saved, in their order.
    /// - Throws: As ``overwrite(_:isolation:)-(Value,_)``.
    @discardableResult
    public func overwrite<Value: RecordCodable>(
        _ values: [Value], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Stored<Value>] {
        try await insert(values, .overwrite, isolation: isolation)
    }
}

extension RecordStore {
    /// Says what to write instead: a plain value has no versions.
    @available(
        *, unavailable, message: "'save' needs a Stored value: use 'insert' for a new value, or 'fetch' it first"
    )
    @discardableResult
    public func save<Value: RecordCodable>(
        _ value: Value, merging merge: ((SaveConflict) throws -> Record)? = nil, deletesRemovedRecords: Bool = false
    ) async throws -> Value {
        value
    }

    /// Says what to write instead: a plain value has no versions.
    @available(
        *, unavailable, message: "'save' needs a Stored value: use 'insert' for a new value, or 'fetch' it first"
    )
    public func save<Value: RecordCodable>(
        _ value: inout Value, merging merge: ((SaveConflict) throws -> Record)? = nil,
        deletesRemovedRecords: Bool = false
    ) async throws {}
}

extension RecordStore {
    /// Saves the changes of a value since it was fetched.
    func save<Value: RecordCodable>(
        _ stored: inout Stored<Value>, conditions: [RecordBatch.VersionedID] = [],
        deletesRemovedRecords: Bool, _ retries: RetryPolicy, _ merge: ((SaveConflict) throws -> Record)?,
        isolation: isolated (any Actor)?
    ) async throws {
        // The value is encoded as it was decoded, whatever the coding of this store.
        var origin = stored.ownOrigin
        let (id, decoder, read) = (stored.recordID, origin.decoder, origin.records)
        let found = try ValueChange(of: stored.value, from: id, in: read, decoder, for: database)
        let (before, after) = (found.before, found.after)
        let (form, graphs) = (StoredForm(decoder.coding.fieldNaming), [before, after])
        guard after.roots == [id] else {
            throw RecordError.identityChanged(from: id, to: after.roots.first ?? id)
        }
        let change = try RecordUpdate(
            of: form.present(read, graphs), by: found.difference, to: after, former: origin.formerRecords)
        let removed = Set(change.deletions.map(\.id))
        let openDeletions = origin.openDeletions.filter { after[$0.id] == nil && !removed.contains($0.id) }
        var save = BatchedSave(
            records: form.coveringFormerFields(change.records, changedFrom: before),
            deletions: deletesRemovedRecords ? openDeletions + change.deletions : [],
            savePolicy: .ifUnchanged)
        if save.isEmpty { return }
        (save.uniqueFields, save.known) = (UniqueFields(decoder.coding.fieldNaming), read)
        let named = Set(save.records.map(\.id) + save.deletions.map(\.id))
        save.conditions = conditions.filter { !named.contains($0.id) }
        if conditions.isEmpty {
            // Some differ only by what their types do not know, and are not saved.
            let others = found.differing.filter { !named.contains(read.records[$0].id) }
            save.expected = read.versions(at: found.unchanged + others)
        }
        var preview = try SavePreview(of: stored.value, found, root: id, saving: save, in: read, decoder: decoder)
        for id in removed { origin.formerRecords[id] = before[id] }
        save.requiresLinkTargets = decoder.coding.requiresLinkTargets
        let conflicts: BatchedSave.Conflicts
        do {
            conflicts = try await save.send(
                to: calls, retries, isolation: isolation, isNew: { _ in false },
                ancestor: { client, _ in client.metadata == nil ? nil : read[client.id] }
            ) { conflict in
                func present(_ record: Record) -> Record { form.present(record, graphs) ?? record }
                guard let merge else {
                    throw RecordDatabaseError(.conflict, .versions(client: conflict.client, server: conflict.server))
                }
                return try merge(
                    SaveConflict(
                        client: conflict.client, server: present(conflict.server),
                        ancestor: conflict.ancestor.map(present)))
            }
        } catch {
            // Keeps the state of an interrupted save, so that it can be repeated.
            origin.records.update(save.savedRecords)
            origin.records.remove(save.deletedIDs)
            origin.openDeletions = deletesRemovedRecords ? save.openDeletions : openDeletions
            stored.ownOrigin = origin
            throw error
        }
        origin.openDeletions = deletesRemovedRecords ? [] : openDeletions
        // A value that is kept has all records in its preview.
        var records = preview.isKept ? preview.takeRecords() : origin.records
        records.update(save.savedRecords)
        records.remove(save.deletedIDs)
        do {
            // Records that were not saved here may have changed since they were read: then the value is read again.
            if conflicts.isEmpty, save.isAsExpected || after.allSatisfy({ save.saved[$0.id] != nil }) {
                origin.records = records
                if preview.isFinal {
                    stored.value = preview.values[0]
                    origin.savedIDs =
                        preview.isKept
                        ? found.ids(replacing: origin.savedIDs, in: read) : preview.records.records.map(\.id)
                } else {
                    let saved = try decoder.decodeReached(Value.self, from: records, roots: [id])
                    stored.value = saved.values[0]
                    origin.savedIDs = saved.records.records.map(\.id)
                }
            } else {
                let fetched = try await decoder.resolve(Value.self, from: id, in: calls)
                stored.value = fetched.value
                origin.records.update(Array(fetched.source.records))
                origin.savedIDs = fetched.source.records.map(\.id)
            }
            stored.ownOrigin = origin
        } catch {
            stored.ownOrigin = origin
            throw RecordDatabaseError(.savedButNotDecoded, .saved(save.saved), underlyingError: error)
        }
    }

    private func insert<Value: RecordCodable>(
        _ values: [Value], _ savePolicy: SavePolicy, isolation: isolated (any Actor)?
    ) async throws -> [Stored<Value>] {
        let graph = try encoder.encode(fillings.filled(values), for: database)
        let preview = try SavePreview(of: Value.self, graph, decoder: decoder)
        let roots = Set(graph.roots)
        // The version that a value was read with is ignored: the record must be new.
        var save = BatchedSave(
            records: graph.map { Record(id: $0.id, checkedFields: $0.fields) }, savePolicy: savePolicy)
        save.uniqueFields = UniqueFields(coding.fieldNaming)
        save.requiresLinkTargets = coding.requiresLinkTargets
        let conflicts: BatchedSave.Conflicts
        do {
            conflicts = try await save.send(
                to: calls, .once, isolation: isolation, isNew: { roots.contains($0) },
                ancestor: { _, _ in nil }
            ) { conflict in
                throw RecordDatabaseError(.conflict, .versions(client: conflict.client, server: conflict.server))
            }
        } catch let error as RecordDatabaseError {
            throw error.placed(in: graph)
        }
        do {
            // An existing record may refer to records that are not part of the values.
            guard conflicts.isEmpty else { return try await fetch(Value.self, from: graph.roots) }
            var (values, records) = (preview.values, preview.records)
            if preview.isFinal {
                records.setMetadata(save.saved)
            } else {
                var all = ResolvedRecords(roots: graph.roots, records: [], index: RecordIndex())
                all.update(save.savedRecords)
                let saved = try decoder.decodeReached(Value.self, from: all, roots: graph.roots)
                (values, records) = (saved.values, saved.records)
            }
            let origin = Box(StoredOrigin(records, decoder))
            return zip(graph.roots, values).map { Stored($1, id: $0, origin) }
        } catch {
            throw RecordDatabaseError(.savedButNotDecoded, .saved(save.saved), underlyingError: error)
        }
    }

    func update<Root: RecordCodable>(
        _ type: Root.Type, from id: Record.ID, ifMatch entityTag: String? = nil,
        deletesRemovedRecords: Bool = false, maximumAttempts: Int? = nil, pause: RetryPause = RetryPause(),
        isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Root) throws -> Void
    ) async throws -> Stored<Root> {
        try calls.require(.conditions, for: "an update")
        var policy = retries
        if let maximumAttempts { policy.attempts = maximumAttempts }
        return try await RetryBudget.shared(policy, isolation: isolation) {
            try await tryUpdate(
                type, from: id, ifMatch: entityTag, deletesRemovedRecords: deletesRemovedRecords,
                policy.attempts, pause, isolation: isolation, change)
        }
    }

    private func tryUpdate<Root: RecordCodable>(
        _ type: Root.Type, from id: Record.ID, ifMatch entityTag: String?, deletesRemovedRecords: Bool,
        _ maximumAttempts: Int, _ pause: RetryPause, isolation: isolated (any Actor)?,
        _ change: (inout Root) throws -> Void
    ) async throws -> Stored<Root> {
        var attempt = 1
        var lastConflict: RecordDatabaseError?
        while true {
            let resolution = try await decoder.resolve(type, from: id, in: calls)
            var stored = Stored(resolution, id: id, decoder: decoder)
            if let entityTag, stored.entityTag != entityTag {
                throw RecordDatabaseError(
                    .versionMismatch, .versions(server: stored.ownOrigin.records[id]),
                    reason: "its entity tag is \(stored.entityTag), not \(entityTag)", recordID: id)
            }
            try change(&stored.value)
            do {
                try await save(
                    &stored, conditions: resolution.unchangedRecords,
                    deletesRemovedRecords: deletesRemovedRecords, .once, nil, isolation: isolation)
                return stored
            } catch let error as RecordDatabaseError
                where error.isOvertaken(after: lastConflict) && attempt < maximumAttempts && RetryBudget.takeAttempt()
            {
                lastConflict = error
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
            }
        }
    }
}

extension ResolvedRecords {
    /// The versions of the records at some positions.
    fileprivate func versions(at positions: [Int]) -> [RecordBatch.VersionedID] {
        positions.map { position in
            // Taking the record out of the array would copy ten references.
            let tag = records[position].metadata?.changeTag
            return RecordBatch.VersionedID(records[position].id, version: tag.map { .changeTag($0) } ?? .missing)
        }
    }
}

extension RecordDecoder.Resolution {
    /// The conditions that all records are as they were read, and that missing ones are still missing.
    fileprivate var unchangedRecords: [RecordBatch.VersionedID] {
        let read = source.records.filter { $0.metadata != nil }.map {
            RecordBatch.VersionedID($0.id, version: RecordBatch.Version(of: $0))
        }
        let missing = Set(dropped.map(\.target)).sorted().map { RecordBatch.VersionedID($0, version: .missing) }
        return read + missing
    }
}

extension RecordDatabaseError {
    /// The error of an insert, with the way from a root of the graph to its record, the first field that differs, and
    /// advice.
    fileprivate func placed(in graph: RecordGraph) -> RecordDatabaseError {
        guard let recordID else { return self }
        var error = self
        var field = context.field
        if let server = serverRecord?.fields, let client = clientRecord?.fields {
            field = client.first { server[$0.name] != $0.value }?.name
        }
        error.context = RecordContext(record: recordID, field: field, chain: graph.chain(to: recordID))
        if code == .conflict, serverRecord != nil {
            error.hint = "fetch the value, change it and save it, or use 'overwrite' to replace any version"
        }
        return error
    }

    /// Whether another writer changed or deleted a record since it was read, and nothing was saved.
    fileprivate func isOvertaken(after last: RecordDatabaseError?) -> Bool {
        guard isOvertaken else { return false }
        guard code == .conflict, clientRecord?.metadata == nil, last?.recordID == recordID else { return true }
        return last?.serverRecord?.metadata != serverRecord?.metadata
    }
}
