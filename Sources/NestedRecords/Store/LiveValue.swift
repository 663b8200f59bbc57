extension RecordStore {
    /// The value with a name, now and after each change of a record that it was read from.
    ///
    /// ```swift
    /// for try await school in store.live(School.self, named: "hilltop") {
    ///     switch school.result {
    ///     case .success(let school): show(school)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// Records at any depth count. Each value is of one moment of the database. A slow reader gets the newest value, and
    /// not those between. A value of the same versions is not repeated, and nil does not follow nil. Only changed records
    /// are fetched.
    ///
    /// A record that cannot be read, or a missing nested record, does not end the sequence: the snapshot has the error as
    /// its ``Snapshot/result``, and the next one comes when one of the records has changed. What ends the sequence is
    /// thrown: the cancellation of its task, errors of the database, and a token that cannot be used.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - token: The ``Snapshot/token`` of the last snapshot that the caller knows: the sequence begins with the first
    ///     later one. Nil to begin with the current value.
    /// - Returns: The values; nil while the record is missing. Reading throws ``RecordError`` with the code `invalidID`
    ///   for a name that no record can have, ``RecordDatabaseError`` with the code `noFeed` if the database has no feed
    ///   of changes, `RecordDatabaseError.Code.changeTokenExpired`, other errors of the database, and
    ///   `CancellationError`.
    public func live<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible, since token: ChangeToken? = nil
    ) -> DatabaseSequence<Snapshot<Stored<Value>?>> {
        live(type, Result { try Record.ID(of: type, named: name) }, since: token)
    }

    func live<Value: RecordDecodable>(
        _ type: Value.Type, _ id: Result<Record.ID, any Error>, since token: ChangeToken? = nil,
        pause: IdlePause = IdlePause()
    ) -> DatabaseSequence<Snapshot<Stored<Value>?>> {
        DatabaseSequence { LiveValue(id, in: self, since: token, pause: pause) }
    }
}

private struct LiveValue<Value: RecordDecodable>: AsyncIteratorProtocol {
    // An invalid name is an error of reading.
    let id: Result<Record.ID, any Error>
    let store: RecordStore
    let pause: IdlePause

    /// The moment that the caller knows; nil after the first element.
    private var token: ChangeToken?
    private var records: FollowedRecords?

    private enum Kind {
        case value
        case missing
        case unreadable

        init(_ result: Result<Stored<Value>?, any Error>) {
            switch result {
            case .success(let value): self = value == nil ? .missing : .value
            case .failure: self = .unreadable
            }
        }
    }

    /// What the last element had; nil before the first element.
    private var shown: Kind?

    init(_ id: Result<Record.ID, any Error>, in store: RecordStore, since token: ChangeToken?, pause: IdlePause) {
        (self.id, self.store, self.token, self.pause) = (id, store, token, pause)
    }

    mutating func next() async throws -> Snapshot<Stored<Value>?>? {
        let records = try await followed()
        let id = try id.get()
        var pause = pause
        if shown != nil { try await records.waitForChange(pause: &pause) }
        while true {
            try Task.checkCancellation()
            records.beginReading()
            let result = try await Self.read(id, store.over(records), records)
            // Fetched records may be of a later moment. All are of one moment if the cached ones have not changed.
            if records.hasFetched, try await records.update().hasChangedRecords { continue }
            let isNew = records.endReading()
            let kind = Kind(result)
            // While the record is missing, changed records are not news.
            if shown != kind || kind != .missing && isNew {
                shown = kind
                records.noteShown()
                let known = token.take()
                guard let known, try await !records.haveChanged(since: known) else {
                    return Snapshot(result, at: records.token)
                }
            }
            try await pause.wait()
            try await records.waitForChange(pause: &pause)
        }
    }

    private mutating func followed() async throws -> FollowedRecords {
        if let records { return records }
        let new = try await FollowedRecords(of: store)
        records = new
        return new
    }

    private static func read(
        _ id: Record.ID, _ store: RecordStore, _ records: FollowedRecords
    ) async throws -> Result<Stored<Value>?, any Error> {
        do {
            return .success(try await store.fetchIfPresent(Value.self, from: id))
        } catch {
            try records.checkIsOfRecords(error)
            return .failure(error)
        }
    }
}
