@_spi(Engines) import NestedRecords

// The log is the history: the changes since a position are in the batches after it. An entry that is not the newest of
// its record is left out, because a later batch has the newest one.
//
// The invariant: when a page is complete, each record that has changed since the token was on this page or an earlier
// one in its state at the end of the file. The end is read last: if the file has grown by then, the page continues.

final class HistoryReader: Sendable {
    private let reader: Reader
    private let file: OpenFile
    private let known = Lock<FileHistory?>(nil)

    init(_ reader: Reader) { (self.reader, file) = (reader, reader.file) }

    func forget() { known.withLock { $0 = nil } }

    /// The maximum number of bytes read in the threads that fetches share: most often the last batches of the file.
    ///
    /// With a new thread each time, a writer whose changes 100 live values follow takes 1.5 times the processor time.
    private static let longestShortRead = 128 << 10

    func isShort(since token: ChangeToken?) -> Bool {
        let (part, end) = file.view.withLock { ($0.part, $0.end) }
        return known.withLock { known in
            guard let known, known.part == part else { return false }
            let position = token.flatMap { try? $0.place(in: $0.store).position }
            let start = position.map { min(known.offset(before: $0), known.end) } ?? known.end
            return end - start <= Self.longestShortRead
        }
    }

    func changeToken() throws -> ChangeToken {
        let history = try history()
        return history.token(at: history.position)
    }

    func oldestChangeToken() throws -> ChangeToken {
        let history = try history()
        return history.token(at: history.purgedPosition)
    }

    private func history() throws -> FileHistory {
        let (file, part, end) = try file.withOpenView { ($0.file, $0.part, $0.end) }
        var history = known.withLock { $0.flatMap { $0.part == part ? $0 : nil } } ?? FileHistory(part)
        guard history.end < end else { return history }
        try history.extend(to: end, of: file)
        known.withLock { [history] known in
            // Another thread may have read more.
            if let known, known.part == part, known.end >= history.end { return }
            known = history
        }
        return history
    }

    /// - Parameter checkGoesOn: Throws if the changes are no longer wanted.
    func changes(since token: ChangeToken, limit: Int, checkGoesOn: () throws -> Void) throws -> RecordChanges {
        while true {
            try checkGoesOn()
            if let changes = try page(since: token, limit: max(1, limit), checkGoesOn) { return changes }
            // The file was compacted during the read.
        }
    }

    /// A page of changes; nil if the file was compacted during the read, which invalidates its offsets.
    private func page(
        since token: ChangeToken, limit: Int, _ checkGoesOn: () throws -> Void
    ) throws -> RecordChanges? {
        let history = try history()
        let start = try history.position(of: token)
        let (storage, part) = try file.withOpenView { ($0.file, $0.part) }
        guard part == history.part else { return nil }
        let blocks = history.offset(before: start)..<history.end
        var cursor = BlockCursor(storage, seed: part.seed, blocks, .fail)
        // Each record once, as it is at the end of the page; nil if it was deleted.
        var (ids, states) = ([Record.ID](), [Record.ID: Record?]())
        var position = start
        var form = RecordReader()
        func changes(isComplete: Bool) throws -> RecordChanges? {
            let history = try self.history()
            guard history.part == part else { return nil }
            var changes = RecordChanges(token: history.token(at: position), isComplete: isComplete)
            for id in ids {
                if let record = states[id] ?? nil { changes.saved.append(record) } else { changes.deleted.append(id) }
            }
            return changes
        }
        while true {
            while let block = try cursor.next() {
                guard block.isBatch else { continue }
                try checkGoesOn()
                var (isFull, hasChanged) = (false, false)
                try cursor.forEachEntry(of: block) { entry in
                    if entry.beginsBatch, ids.count >= limit {
                        isFull = true
                        return false
                    }
                    if let position = entry.position, position <= start { return true }
                    do {
                        try entry.read { content in
                            guard let entryPosition = try entry.position(content) else {
                                let reason = "the change tag of a record"
                                throw RecordDatabaseError(
                                    .corrupt, .offset(entry.offset), reason: reason, path: file.path)
                            }
                            if entryPosition <= start { return }
                            position = entryPosition
                            let id = try RecordReader.id(from: content.body)
                            guard let isNewest = try isNewest(content.kind, id, entry.place, part) else {
                                return hasChanged = true
                            }
                            guard isNewest else { return }
                            let record = try content.kind.isDeletion ? nil : form.record(from: content.body)
                            if states.updateValue(record, forKey: id) == nil { ids.append(id) }
                        }
                    } catch let damage as RecordDatabaseError where damage.code == .corrupt {
                        switch try isSuperseded(entry, part) {
                        case nil: hasChanged = true
                        case true?: position = entry.position ?? position
                        case false?: throw damage
                        }
                    }
                    return !hasChanged
                }
                if hasChanged { return nil }
                if isFull { return try changes(isComplete: false) }
            }
            let (end, current) = file.view.withLock { ($0.end, $0.part) }
            guard current == part else { return nil }
            if end == cursor.end { return try changes(isComplete: true) }
            if ids.count >= limit { return try changes(isComplete: false) }
            cursor.extend(to: end)
        }
    }

    /// Whether an entry is the newest of its record; nil if the file was compacted during the read.
    private func isNewest(
        _ kind: LogEntry.Kind, _ id: Record.ID, _ place: UInt64, _ part: OpenFile.Part
    ) throws -> Bool? {
        let isCurrent = file.view.withLock { view -> Bool? in
            guard view.part == part else { return nil }
            let key = view.types.key(of: id)
            if !kind.isDeletion { return key.map { view.index.contains($0, at: place) } ?? false }
            var isAbsent = true
            if let key { view.index.forEachPlace(of: key) { _ in isAbsent = false } }
            return isAbsent
        }
        // Two records may have the same key.
        if kind.isDeletion, isCurrent == false { return try !reader.contains(id) }
        return isCurrent
    }

    /// Whether a later entry supersedes a damaged one; nil if the file was compacted during the read.
    private func isSuperseded(_ entry: BlockCursor.Entry, _ part: OpenFile.Part) throws -> Bool? {
        let isInUse = file.view.withLock { view -> Bool? in
            view.part == part ? view.index.slots.contains { $0.place == entry.place } : nil
        }
        guard let isInUse else { return nil }
        // The ID may be damaged, but the location in the index shows whether this is the newest version.
        guard !isInUse, let identity = entry.identity else { return false }
        return try !identity.kind.isDeletion || reader.contains(identity.id)
    }
}
