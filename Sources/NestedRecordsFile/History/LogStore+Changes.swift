import NestedRecords

// The log is the history: what has changed since a position is in the batches behind it. An entry that is not the newest
// one of its record is left out, because a later batch has the newest one.
//
// The invariant: when a page is complete, each record that has changed since the token was on this page or an earlier one
// as it is at the end of the file. The end is looked at last: if it is further behind by then, the page goes on.

extension LogStore {
    /// The position of the last change.
    func changeToken() throws -> ChangeToken {
        try withHistory { history, _ in history.token(at: history.position) }
    }

    /// Where the history begins that is there.
    func oldestChangeToken() throws -> ChangeToken {
        try withHistory { history, _ in history.token(at: history.purgedPosition) }
    }

    /// Calls the closure with what is known of the whole file, and the file.
    private func withHistory<Result>(_ body: (FileHistory, StorageFile) throws -> Result) throws -> Result {
        let (file, part, end, isOpen) = view.withLock { ($0.file, $0.part, $0.end, $0.isOpen) }
        guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        return try history.withLock { known in
            var history = known.flatMap { $0.part == part ? $0 : nil } ?? FileHistory(part)
            // Not held twice, so that its checkpoints are not copied; and not kept if it cannot be extended.
            known = nil
            try history.extend(to: end, of: file)
            known = history
            return try body(history, file)
        }
    }

    /// What has changed since a token.
    ///
    /// - Parameter checkGoesOn: Throws if they are not wanted any more.
    /// - Throws: `RecordDatabaseError.changeTokenExpired`, what the closure throws, and what the system refuses.
    func changes(since token: ChangeToken, limit: Int, checkGoesOn: () throws -> Void) throws -> RecordChanges {
        while true {
            try checkGoesOn()
            if let changes = try page(since: token, limit: max(1, limit), checkGoesOn) { return changes }
            // The file was compacted meanwhile.
        }
    }

    /// A page of changes; nil if the file was compacted meanwhile, so that places in it say nothing any more.
    private func page(
        since token: ChangeToken, limit: Int, _ checkGoesOn: () throws -> Void
    ) throws -> RecordChanges? {
        var (walk, part) = try withHistory { history, file in
            try history.check(token)
            let blocks = history.offset(before: token.position)..<history.end
            return (EntryWalk(file, seed: history.part.seed, blocks), history.part)
        }
        var page = ChangedRecords()
        var position = token.position
        var form = RecordReader()
        while true {
            while let batch = try walk.next() {
                try checkGoesOn()
                // All entries of an ordinary batch are known, or none.
                if !batch.isCopy, batch.header.sequence &+ UInt64(batch.header.count) <= token.position { continue }
                var isFull = false
                var hasChanged = false
                try walk.forEachEntry(of: batch) { entry in
                    if entry.beginsBatch, page.count >= limit {
                        isFull = true
                        return false
                    }
                    return try entry.read { content in
                        guard let entryPosition = try entry.position(content) else {
                            throw FileRecordDatabaseError.corrupt(
                                path: path, offset: entry.offset, what: "the change tag of a record")
                        }
                        if entryPosition <= token.position { return true }
                        position = entryPosition
                        let id = try RecordReader.id(from: content.body)
                        guard let isNewest = try isNewest(entry.kind, id, entry.place, part) else {
                            hasChanged = true
                            return false
                        }
                        if isNewest { page.set(id, try entry.kind.isDeletion ? nil : form.record(from: content.body)) }
                        return true
                    }
                }
                if hasChanged { return nil }
                if isFull { return try changes(page, position, isComplete: false, part) }
            }
            let (end, current) = view.withLock { ($0.end, $0.part) }
            guard current == part else { return nil }
            if end == walk.end { return try changes(page, position, isComplete: true, part) }
            if page.count >= limit { return try changes(page, position, isComplete: false, part) }
            walk.extend(to: end)
        }
    }

    /// Whether an entry is the last word on its record; nil if the file was compacted meanwhile.
    private func isNewest(
        _ kind: LogEntry.Kind, _ id: Record.ID, _ place: UInt64, _ part: Part
    ) throws -> Bool? {
        let isCurrent = view.withLock { view -> Bool? in
            guard view.part == part else { return nil }
            let key = view.types.key(of: id)
            if !kind.isDeletion { return key.map { view.index.contains($0, at: place) } ?? false }
            var isAbsent = true
            if let key { view.index.forEachPlace(of: key) { _ in isAbsent = false } }
            return isAbsent
        }
        // Two records may have the same key.
        if kind.isDeletion, isCurrent == false { return try !contains(id) }
        return isCurrent
    }

    /// Whether there is a record.
    func contains(_ id: Record.ID) throws -> Bool {
        let places = try places(of: [id])
        var isThere = false
        try withReader(seed: places.seed) { reader in
            for entry in places.entries where try !isThere && reader.hasID(id, at: entry.place, in: places.file) {
                isThere = true
            }
        }
        return isThere
    }

    private func changes(
        _ page: ChangedRecords, _ position: UInt64, isComplete: Bool, _ part: Part
    ) throws -> RecordChanges? {
        let token = try withHistory { history, _ in history.part == part ? history.token(at: position) : nil }
        return token.map { page.changes(token: $0, isComplete: isComplete) }
    }
}

/// The changes of a page, each record once.
private struct ChangedRecords {
    private var ids: [Record.ID] = []
    private var states: [Record.ID: Record?] = [:]

    var count: Int { states.count }

    /// Notes the newest state of a record; nil if it was deleted.
    mutating func set(_ id: Record.ID, _ record: Record?) {
        if states.updateValue(record, forKey: id) == nil { ids.append(id) }
    }

    func changes(token: ChangeToken, isComplete: Bool) -> RecordChanges {
        var changes = RecordChanges(token: token, isComplete: isComplete)
        for id in ids {
            if let record = states[id] ?? nil { changes.saved.append(record) } else { changes.deleted.append(id) }
        }
        return changes
    }
}
