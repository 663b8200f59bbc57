import Dispatch
import NestedRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LogStore {
    /// Adds a batch to those that wait, and has them written unless that is going on.
    func enqueue(_ batch: WaitingBatch) {
        let mustBegin = waiting.withLock { waiting in
            waiting.batches.append(batch)
            defer { waiting.isBeingWritten = true }
            return !waiting.isBeingWritten
        }
        if mustBegin { writeWaiting() }
    }

    /// Has all batches that wait written.
    private func writeWaiting() {
        onQueue({ $0.takeAndWrite() }, then: { for (batch, answer) in $0 { batch.answer(answer) } })
    }

    /// Runs an operation in its turn, and releases the store before the result is delivered.
    ///
    /// The waiting caller may have held the last reference to the database, and may open its file again at once.
    private func onQueue<Result>(
        _ work: @escaping @Sendable (LogStore) -> sending Result, then answer: @escaping @Sendable (Result) -> Void
    ) {
        let store = Lock<LogStore?>(self)
        queue.async {
            guard let result = store.take().map(work) else { return }
            answer(result)
        }
    }

    /// Writes all batches that wait, and gives the answer to each.
    private func takeAndWrite() -> [(WaitingBatch, Answer)] {
        let batches = waiting.withLock { waiting in
            let batches = waiting.batches
            waiting.batches = []
            return batches
        }
        let answers = writer.withLock { writer in
            defer { compactIfWorthwhile(&writer) }
            return write(batches, &writer)
        }
        doorbell.ring()
        // Batches that arrived meanwhile queue behind whatever else waits for the writer.
        let mustGoOn = waiting.withLock { waiting in
            waiting.isBeingWritten = !waiting.batches.isEmpty
            return waiting.isBeingWritten
        }
        if mustGoOn { writeWaiting() }
        return Array(zip(batches, answers))
    }

    typealias Answer = Result<[Record.ID: Record.Metadata], any Error>

    /// Writes batches in one block: with one flush of the disk for all of them.
    private func write(_ batches: [WaitingBatch], _ writer: inout LogWriter) -> [Answer] {
        do {
            try prepare(&writer)
        } catch {
            return batches.map { _ in .failure(error) }
        }
        var block = LogBlock(self, sequence: writer.sequence, hasSeveralBatches: batches.count > 1)
        var answers: [Answer] = []
        for batch in batches {
            do {
                answers.append(.success(try block.append(batch, now: options.now())))
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
            let isDurable = options.durability == .full
            try block.finish(durableEnd: isDurable ? block.start : Int(clamping: writer.state.durableEnd))
            if isDurable { try block.file.sync() }
        } catch {
            undo(block.file, to: block.start, error, &writer)
            return answers.map { answer in answer.flatMap { _ in .failure(error) } }
        }
        writer.sequence = block.sequence
        view.withLock { block.apply(to: &$0) }
        return answers
    }

    /// Makes sure that the file can be written to, and is as it was left.
    private func prepare(_ writer: inout LogWriter) throws {
        if let failure = writer.failure { throw failure }
        try checkIsOwnProcess()
        let (file, end) = try view.withLock { view in
            guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            return (view.file, view.end)
        }
        try checkIsCurrent(file)
        let size = try file.size()
        guard size >= end else {
            // What was acknowledged is gone: a batch behind the gap could not be read.
            let failure = FileRecordDatabaseError.corrupt(path: path, offset: size, what: "the file has become shorter")
            writer.failure = failure
            throw failure
        }
        try tail.withLock { try $0.cutRest(off: file) }
        if options.durability == .relaxed { try announceRelaxed(file, &writer) }
    }

    /// Writes an empty batch that is durable: it tells that more than one of the batches behind it may be damaged after a loss
    /// of power, and none of them acknowledged for good.
    private func announceRelaxed(_ file: StorageFile, _ writer: inout LogWriter) throws {
        guard !writer.hasAnnouncedRelaxed else { return }
        let (start, seed) = view.withLock { ($0.end, $0.seed) }
        let block = BlockHeader(.batch, count: 0, byteCount: 0, sequence: writer.sequence, digest: 0, durableEnd: 0)
        do {
            try file.write(block.bytes(seed: seed, at: start), at: start)
            try file.sync()
        } catch {
            undo(file, to: start, error, &writer)
            throw error
        }
        view.withLock { $0.end = start + BlockHeader.size }
        writer.hasAnnouncedRelaxed = true
    }

    /// Takes back what a failed write left behind; where that fails too, nothing more is written.
    private func undo(_ file: StorageFile, to start: Int, _ failure: (any Error)?, _ writer: inout LogWriter) {
        // The system may have dropped what it could not write: the contents of the file are unknown now.
        if let failure = failure as? FileRecordDatabaseError, failure.operation == "sync" { writer.failure = failure }
        do {
            try file.truncate(to: start)
        } catch {
            writer.failure = writer.failure ?? error
        }
    }
}

extension LogStore {
    /// Runs an operation as the writer, after everything before it is written.
    func perform<Success: Sendable>(
        _ body: @escaping @Sendable (LogStore, inout LogWriter) throws -> Success
    ) async throws -> Success {
        try await Promise.result { promise in
            onQueue(
                { store in Result { try store.writer.withLock { try body(store, &$0) } } },
                then: { promise.resume(with: $0) })
        }
    }
}
