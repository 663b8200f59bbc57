import NestedRecords

// A file that was opened only for reading is read as it was then, until somebody asks for changes: then what another
// process has written since is taken in.

extension LogStore {
    /// How long to wait before another look at a file that another process writes.
    private static let pause = Duration.milliseconds(5)

    /// Takes in what another process has written.
    func follow() throws {
        guard options.isReadOnly else { return }
        try writer.withLock { writer in
            var attempts = 0
            while true {
                do {
                    return try follow(&writer)
                } catch FileRecordDatabaseError.Code.corrupt where attempts < 100 {
                    // The writer may have cut off or overwritten what was being read.
                    attempts += 1
                }
            }
        }
    }

    private func follow(_ writer: inout LogWriter) throws {
        let (file, seed, end, isOpen) = view.withLock { ($0.file, $0.seed, $0.end, $0.isOpen) }
        guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        guard try file.isCurrent() else {
            return try take(try StorageFile.open(file.name, OpenFlags.reading, system), &writer)
        }
        let head = try FileHead(of: file)
        guard head.seed == seed else { return try take(file, &writer) }
        let size = try file.size()
        guard size >= end else {
            throw FileRecordDatabaseError.corrupt(path: path, offset: size, what: "the file has become shorter")
        }
        guard size > end else { return }
        // The index is changed where it is: a copy takes as long as the records are many. Fetches wait.
        try view.withLock { view in
            var replay = LogReplay(file: file, head: head, taking: &view)
            defer { replay.give(to: &view) }
            try replay.resume(to: size)
        }
    }

    /// Reads a file from its beginning.
    private func take(_ file: StorageFile, _ writer: inout LogWriter) throws {
        let (head, _, replay) = try Self.read(file, isAlone: false)
        view.withLock { view in
            guard view.isOpen else { return }
            view = View(
                file: file, index: replay.index, types: replay.types, liveBytes: replay.liveBytes, end: replay.end)
        }
        writer.state = head.state
    }

    /// What can be seen of a file without reading its batches.
    private struct Look: Equatable {
        let isCurrent: Bool
        let size: Int
        let seed: UInt64?
    }

    private func look() throws -> Look {
        let (file, isOpen) = view.withLock { ($0.file, $0.isOpen) }
        guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        return Look(isCurrent: try file.isCurrent(), size: try file.size(), seed: try? FileHead(of: file).seed)
    }

    /// Waits until something may have changed since a token.
    func waitForChanges(after token: ChangeToken) async throws {
        if options.isReadOnly { return try await waitForOtherProcess(after: token) }
        // In this order: what is written after the place was looked at has another end.
        let (end, seed) = view.withLock { ($0.end, $0.seed) }
        guard try await current(after: token) == token.position else { return }
        try await doorbell.wait { view.withLock { $0.end != end || $0.seed != seed || !$0.isOpen } }
        _ = try currentView()
    }

    /// The position of the last change, if a token can go on to it.
    private func current(after token: ChangeToken) async throws -> UInt64 {
        try await FetchQueues.shared.run {
            let now = try self.changeToken()
            guard now.store == token.store else { throw RecordDatabaseError.changeTokenExpired(.otherStore) }
            return now.position
        }
    }

    private func waitForOtherProcess(after token: ChangeToken) async throws {
        while true {
            let before = try look()
            try await FetchQueues.shared.run { try self.follow() }
            guard try await current(after: token) == token.position else { return }
            while try look() == before { try await Task.sleep(for: Self.pause) }
        }
    }
}
