extension RecordDatabase {
    /// Reads a value, changes it and saves what changed; starts again if somebody else was faster.
    ///
    /// ```swift
    /// try await database.update(School.self, named: "hogwarts") { school in school.visits += 1 }
    /// ```
    ///
    /// Only the records that the closure changed are sent, as new versions of those that were read, and of these only
    /// the changed fields differ from what was read: fields that the Swift type knows nothing of stay as they are. If
    /// the closure changes nothing, nothing is saved. If one of the records has changed or gone in the meantime,
    /// nothing is saved either: the value is read again, and the closure is called again.
    ///
    /// Changes of more records than ``batchLimit`` are saved in several batches. If a later one is refused, there is
    /// no second attempt, since part of the change is made already.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    ///   - encoder: How to encode it; nil for an encoder that matches the decoder.
    ///   - savePolicy: What to do where the database holds a record that was not read.
    ///   - deletingRemoved: Whether to delete the records that are not in the value any more. Others may refer to them.
    ///   - maximumAttempts: How often to try, 100 times by default; less than once is once. From the second time on
    ///     there is a pause before it, of a random length that grows up to two seconds.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times, each time with the value that was just read.
    /// - Returns: The value as it was saved: decoded from the records that the database now holds; or as the closure
    ///   left it, where such records cannot be decoded, as with instances that contain each other.
    /// - Throws: The errors of ``update(_:from:decoder:encoder:savePolicy:deletingRemoved:maximumAttempts:isolation:_:)``
    ///   and ``RecordError/invalidID(type:name:reason:context:)``.
    @discardableResult
    public func update<Root: RecordCodable>(
        _ type: Root.Type, named name: String, decoder: RecordDecoder = RecordDecoder(),
        encoder: RecordEncoder? = nil, savePolicy: SavePolicy = .automatic, deletingRemoved: Bool = false,
        maximumAttempts: Int = 100, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Root) throws -> Void
    ) async throws -> Root {
        try await update(
            type, from: Record.ID(type: Root.recordType, name: name), decoder: decoder, encoder: encoder,
            savePolicy: savePolicy, deletingRemoved: deletingRemoved, maximumAttempts: maximumAttempts,
            isolation: isolation, change)
    }

    /// Reads the value with an ID, changes it and saves what changed; starts again if somebody else was faster.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - id: The ID of its record.
    ///   - decoder: How to decode it.
    ///   - encoder: How to encode it; nil for an encoder that matches the decoder.
    ///   - savePolicy: What to do where the database holds a record that was not read.
    ///   - deletingRemoved: Whether to delete the records that are not in the value any more. Others may refer to them.
    ///   - maximumAttempts: How often to try, 100 times by default; less than once is once. From the second time on
    ///     there is a pause before it, of a random length that grows up to two seconds.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - change: Changes the value. It may be called several times, each time with the value that was just read.
    /// - Returns: The value as it was saved.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,Record.ID,RecordDatabase)`` and
    ///   ``RecordEncoder/encode(_:)-(Root)``, and what the closure throws;
    ///   ``RecordDatabaseError/conflict(client:server:)`` or ``RecordDatabaseError/unknownRecord(_:)`` when no attempt
    ///   is left; ``RecordChangeError/identityChanged(from:to:)`` if the closure gives the value another identity;
    ///   `CancellationError` if the task is cancelled between two attempts; and what else
    ///   ``save(_:changedFrom:savePolicy:deletingRemoved:)`` throws.
    @discardableResult
    public func update<Root: RecordCodable>(
        _ type: Root.Type, from id: Record.ID, decoder: RecordDecoder = RecordDecoder(),
        encoder: RecordEncoder? = nil, savePolicy: SavePolicy = .automatic, deletingRemoved: Bool = false,
        maximumAttempts: Int = 100, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Root) throws -> Void
    ) async throws -> Root {
        let encoder = encoder ?? RecordEncoder(matching: decoder)
        var attempt = 1
        while true {
            let resolution = try await decoder.resolve(type, from: id, in: self)
            var value = resolution.value
            let before = try encoder.encode(value)
            try change(&value)
            let after = try encoder.encode(value)
            guard after.roots == [id] else {
                throw RecordChangeError.identityChanged(from: id, to: after.roots.first ?? id)
            }
            let update = RecordUpdate(of: resolution.graph, from: before, to: after)
            var save = BatchedSave(
                records: update.records, deletions: deletingRemoved ? update.deletions : [], savePolicy: savePolicy)
            do {
                try await save.send(to: self)
                if save.saved.isEmpty { return value }
                return (try? decoder.decode(type, from: id, in: update.graph(saved: save.saved))) ?? value
            } catch let error as RecordDatabaseError {
                guard error.isOvertaken, attempt < maximumAttempts else { throw error }
            }
            // Reading checks for cancellation.
            attempt += 1
        }
    }
}

/// Lets others finish: who tries again at once comes into the way of the next one.
private func pause(beforeAttempt attempt: Int) async throws {
    let longest = 1 << Swift.min(attempt, 11)
    try await Task.sleep(for: .microseconds(Int.random(in: 0...longest * 1_000)))
}

extension RecordDatabaseError {
    /// Whether somebody else changed or deleted a record since it was read, and nothing was saved.
    fileprivate var isOvertaken: Bool { code == .conflict || code == .unknownRecord }
}
