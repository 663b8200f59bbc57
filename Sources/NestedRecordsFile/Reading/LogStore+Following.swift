import NestedRecords

// A file that was opened only for reading is read as it is: each fetch, query and list begins by taking in what another
// process has written since.
//
// The invariant: what is taken in goes on from the last block that is known. If that is another one by now, or is not
// there any more, the file is read anew: it was restored, or a batch was taken back that had been seen before it was
// durable. Places in it say nothing then, see `View.generation`.

extension LogStore {
    /// The number of bytes that are read in the thread of the task that asks.
    private static let shortTail = 64 << 10

    /// How long to wait before another look at a file that another process writes.
    private static let pause = Duration.milliseconds(5)

    /// Runs an operation on what another process has written, again where that was overwritten meanwhile.
    func following<Result>(_ body: (LogStore) throws -> Result) throws -> Result {
        guard options.isReadOnly else { return try body(self) }
        var attempts = 0
        while true {
            var before: Look?
            do {
                before = try look()
                try follow()
                return try body(self)
            } catch let failure as FileRecordDatabaseError where failure.code == .corrupt {
                // What the writer does may be seen in part, so that one more look is worth it.
                attempts += 1
                guard attempts < 3 || attempts < 100 && (try? look()) != before else { throw failure }
            }
        }
    }

    /// Reads something of the records that are there by now.
    func readingPresent<Success>(_ body: (LogStore) async throws -> Success) async throws -> Success {
        if options.isReadOnly {
            let (file, end, isOpen) = view.withLock { ($0.file, $0.end, $0.isOpen) }
            guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            // A short tail is read in the thread of the task, as a short fetch is.
            if try file.isCurrent(), try file.size() - end <= Self.shortTail {
                try following { _ in }
            } else {
                try await FetchQueues.shared.run { try self.following { _ in } }
            }
        }
        return try await body(self)
    }

    /// Takes in what another process has written.
    private func follow() throws {
        try writer.withLock { writer in
            let (file, part, end, lastBlock, isOpen) = view.withLock {
                ($0.file, $0.part, $0.end, $0.lastBlock, $0.isOpen)
            }
            guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            guard try file.isCurrent() else {
                return try take(try StorageFile.open(file.name, OpenFlags.reading, system), &writer)
            }
            let head = try FileHead(of: file)
            let size = try file.size()
            guard head.seed == part.seed, size >= end,
                try lastBlock.map({ try header(at: $0.offset, of: file, part) == $0.header }) ?? true
            else { return try take(file, &writer) }
            if size > end { try extend(file, head, to: size, &writer) }
        }
    }

    /// Takes in the batches behind the end.
    private func extend(_ file: StorageFile, _ head: FileHead, to size: Int, _ writer: inout LogWriter) throws {
        let searched = writer.searchedTail
        // The index is changed where it is: a copy takes as long as the records are many. Fetches wait.
        let end = try view.withLock { view in
            var replay = LogReplay(file: file, head: head, taking: &view)
            defer { replay.give(to: &view) }
            try replay.resume(to: size, searchedEnd: searched.start == view.end ? searched.end : 0)
            return replay.end
        }
        // A long batch comes in pieces: each is searched once for what would prove that it is damage.
        writer.searchedTail = (end, size)
    }

    private func header(at offset: Int, of file: StorageFile, _ part: Part) throws -> BlockHeader? {
        var bytes = [UInt8](repeating: 0, count: BlockHeader.size)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return bytes[..<count].withUnsafeBytes { BlockHeader($0, seed: part.seed, at: offset) }
    }

    /// Reads a file from its beginning.
    private func take(_ file: StorageFile, _ writer: inout LogWriter) throws {
        let (head, _, replay) = try Self.read(file, isAlone: false)
        view.withLock { view in
            view.file = file
            view.take(replay)
        }
        writer.state = head.state
    }

    /// What can be seen of a file without reading its batches.
    private struct Look: Equatable {
        let isCurrent: Bool
        let size: Int
        let seed: UInt64?

        /// What is where the next batch begins: the header of a long one is written last.
        let next: [UInt8]
    }

    private func look() throws -> Look {
        let (file, end, isOpen) = view.withLock { ($0.file, $0.end, $0.isOpen) }
        guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        var next = [UInt8](repeating: 0, count: BlockHeader.size)
        let count = try next.withUnsafeMutableBytes { try file.read(into: $0, at: end) }
        return Look(
            isCurrent: try file.isCurrent(), size: try file.size(), seed: try? FileHead(of: file).seed,
            next: Array(next[..<count]))
    }

    /// Waits until something may have changed since a token.
    func waitForChanges(after token: ChangeToken) async throws {
        if options.isReadOnly { return try await waitForOtherProcess(after: token) }
        // In this order: what is written after the place was looked at has another end.
        let (end, part) = view.withLock { ($0.end, $0.part) }
        guard try await current(after: token) == token.position else { return }
        try await doorbell.wait { view.withLock { $0.end != end || $0.part != part || !$0.isOpen } }
        _ = try currentView()
    }

    /// The position of the last change, if a token can go on to it.
    private func current(after token: ChangeToken) async throws -> UInt64 {
        try await FetchQueues.shared.run {
            let now = try self.following { try $0.changeToken() }
            guard now.store == token.store else { throw RecordDatabaseError.changeTokenExpired(.otherStore) }
            return now.position
        }
    }

    private func waitForOtherProcess(after token: ChangeToken) async throws {
        while true {
            let before = try look()
            guard try await current(after: token) == token.position else { return }
            // The end may be another one by now, so that other bytes are looked at: then this is not waited for.
            while try look() == before { try await Task.sleep(for: Self.pause) }
        }
    }
}
