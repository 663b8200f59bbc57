@_spi(Engines) import NestedRecords

/// Writes batches: all that wait at the same time in one block, with one sync.
final class Committer: Sendable {
    private let file: OpenFile
    let writer: SerialState<LogWriter>
    let waiting = WaitingGroup<WaitingBatch>()
    private let afterBlock: @Sendable (inout LogWriter) -> Void

    init(
        _ file: OpenFile, _ writer: SerialState<LogWriter>,
        afterBlock: @escaping @Sendable (inout LogWriter) -> Void
    ) {
        (self.file, self.writer, self.afterBlock) = (file, writer, afterBlock)
    }

    /// Adds a batch to the waiting batches, and starts writing.
    func enqueue(
        _ batch: RecordBatch, _ promise: Promise<[Record.ID: Record.Metadata]>, search: ReferrerSearch? = nil,
        priority: TaskPriority = Task.currentPriority
    ) {
        guard waiting.add((batch, promise, search), priority: priority) else { return }
        writer.async(self, priority: priority) { committer, writer in
            let answers = committer.writeWaiting(&writer)
            return { for (waiting, answer) in answers { waiting.promise.resume(with: answer) } }
        }
    }

    typealias WaitingBatch = (
        batch: RecordBatch, promise: Promise<[Record.ID: Record.Metadata]>, search: ReferrerSearch?
    )
    private typealias Answer = Result<[Record.ID: Record.Metadata], any Error>

    private func writeWaiting(_ writer: inout LogWriter) -> [(WaitingBatch, Answer)] {
        let batches = waiting.takeAll()
        if batches.isEmpty { return [] }
        let answers = write(batches, &writer)
        afterBlock(&writer)
        file.doorbell.ring()
        return Array(zip(batches, answers))
    }

    private func write(_ batches: [WaitingBatch], _ writer: inout LogWriter) -> [Answer] {
        do {
            try prepare(&writer)
        } catch {
            return batches.map { _ in .failure(error) }
        }
        var block = LogBlock(file, sequence: writer.sequence, hasSeveralBatches: batches.count > 1)
        var answers: [Answer] = []
        for (batch, _, search) in batches {
            do {
                if let search { try block.check(batch, search) }
                answers.append(.success(try block.append(batch, now: file.options.now())))
            } catch {
                answers.append(.failure(error))
            }
            if let failure = block.failure {
                undo(block.file, to: block.start, failure, &writer)
                return batches.map { _ in .failure(failure) }
            }
        }
        if block.isEmpty {
            if block.hasWritten { undo(block.file, to: block.start, nil, &writer) }
            return answers
        }
        do {
            let isDurable = file.options.durability == .full
            try block.finish(durableEnd: isDurable ? block.start : Int(clamping: writer.state.durableEnd))
            if isDurable { try block.file.sync() }
        } catch {
            undo(block.file, to: block.start, error, &writer)
            return answers.map { answer in answer.flatMap { _ in .failure(error) } }
        }
        writer.sequence = block.sequence
        file.view.withLock { block.apply(to: &$0) }
        // A search that begins now reads a snapshot with this block.
        for search in file.searches.withLock({ $0 }) {
            for (waiting, answer) in zip(batches, answers) {
                if case .success = answer { search.note(waiting.batch) }
            }
        }
        return answers
    }

    private func prepare(_ writer: inout LogWriter) throws {
        if let failure = writer.failure { throw failure }
        let (storage, end) = try file.withOpenView { ($0.file, $0.end) }
        // A batch at an unknown end would overwrite the file.
        guard writer.isPrepared else {
            throw RecordDatabaseError(.cannotOpen, reason: "it was not read before a write", path: file.path)
        }
        try file.checkIsCurrent(storage)
        let size = try storage.size()
        guard size >= end else {
            // Acknowledged data is gone: a batch after the gap could not be read.
            let failure = RecordDatabaseError(
                .corrupt, .offset(size), reason: "the file has become shorter", path: file.path)
            writer.failure = failure
            throw failure
        }
        try writer.cutTail(off: storage, of: file)
        if file.options.durability == .relaxed { try announceRelaxed(storage, &writer) }
    }

    /// Writes an empty batch that is durable: it announces that after a loss of power several of the following batches
    /// may be damaged, and that none of them is acknowledged for good.
    private func announceRelaxed(_ storage: StorageFile, _ writer: inout LogWriter) throws {
        guard !writer.hasAnnouncedRelaxed else { return }
        let (start, seed) = file.view.withLock { ($0.end, $0.seed) }
        let block = BlockHeader(.batch, count: 0, byteCount: 0, sequence: writer.sequence, digest: 0, durableEnd: 0)
        do {
            try storage.write(block.bytes(seed: seed, at: start), at: start)
            try storage.sync()
        } catch {
            undo(storage, to: start, error, &writer)
            throw error
        }
        file.view.withLock { $0.end = start + BlockHeader.size }
        writer.hasAnnouncedRelaxed = true
    }

    /// Makes the batches so far survive a loss of power, whatever the durability.
    func sync() async throws {
        if file.options.durability == .full { return }
        try await writer.run { [file] writer in
            if let failure = writer.failure { throw failure }
            do {
                try file.withOpenView { $0.file }.sync()
            } catch let error as RecordDatabaseError where error.operation == "sync" {
                // The system may have dropped data that it could not write.
                writer.failure = error
                throw error
            }
        }
    }

    private func undo(_ storage: StorageFile, to start: Int, _ failure: (any Error)?, _ writer: inout LogWriter) {
        // The system may have dropped data that it could not write: the contents of the file are unknown now.
        if let failure = failure as? RecordDatabaseError, failure.operation == "sync" { writer.failure = failure }
        do {
            try storage.truncate(to: start)
        } catch {
            writer.failure = writer.failure ?? error
        }
    }
}

// MARK: Closing

extension Committer {
    /// The maximum number of bytes that an opening has to read.
    private static let longestReplay = 4 << 20

    func close(_ writer: inout LogWriter) throws {
        guard file.view.withLock({ $0.isOpen }) else { return }
        defer {
            file.view.withLock { $0.isOpen = false }
            file.doorbell.ring()
        }
        guard !file.options.isReadOnly else { return }
        defer { file.view.withLock { $0.file }.unlock() }
        // A file that was not read is as its last writer left it.
        if writer.isPrepared { try writeState(&writer) }
    }

    /// Saves the index if a later opening would otherwise have much to read, and marks the file as complete.
    private func writeState(_ writer: inout LogWriter) throws {
        if let failure = writer.failure { throw failure }
        let (storage, end) = file.view.withLock { ($0.file, $0.end) }
        guard end > Int(clamping: writer.state.durableEnd) || writer.sequence != writer.state.sequence else { return }
        var state = writer.state
        state.sequence = writer.sequence
        state.generation &+= 1
        var stateEnd = end
        if end - writer.indexedEnd > Self.longestReplay {
            // There is no other writer, so the index does not change, and is not copied.
            let view = file.view.withLock { $0 }
            do {
                stateEnd = try SavedIndex.write(
                    view.index, view.types, liveBytes: view.liveBytes, sequence: writer.sequence,
                    durableEnd: file.options.durability == .full ? end : Int(clamping: writer.state.durableEnd),
                    to: storage, at: end)
                state.indexOffset = UInt64(end)
            } catch RecordDatabaseError.Code.diskFull {
                // The index only saves time. Space for the state is already allocated.
                try storage.truncate(to: end)
            }
        }
        // The state says that everything before it is complete: sync that first, then write the state.
        try storage.sync()
        state.durableEnd = UInt64(stateEnd)
        try storage.write(state.bytes(seed: file.view.withLock { $0.seed }), at: state.offset)
        try storage.sync()
        writer.state = state
        guard stateEnd > end else { return }
        writer.indexedEnd = stateEnd
        file.view.withLock { ($0.end, $0.indexSize) = (stateEnd, stateEnd - end) }
    }
}
