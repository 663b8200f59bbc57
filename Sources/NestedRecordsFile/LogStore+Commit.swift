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
            return write(batches[...], &writer)
        }
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
    private func write(_ batches: ArraySlice<WaitingBatch>, _ writer: inout LogWriter) -> [Answer] {
        let closed = view.withLock { $0.isOpen } ? nil : FileRecordDatabaseError.closed(path: path)
        if let failure = writer.failure ?? closed { return batches.map { _ in .failure(failure) } }
        do {
            try checkIsCurrent(view.withLock { $0.file })
        } catch {
            return batches.map { _ in .failure(error) }
        }
        var block = LogBlock(self, sequence: writer.sequence, hasSeveralBatches: batches.count > 1)
        var answers: [Answer] = []
        for (position, batch) in zip(batches.indices, batches) {
            do {
                answers.append(.success(try block.append(batch, now: options.now())))
            } catch {
                answers.append(.failure(error))
            }
            guard let failure = block.failure else { continue }
            undo(block, &writer)
            // What the disk refuses fails all that goes there together.
            guard failure is RecordError, writer.failure == nil else { return batches.map { _ in .failure(failure) } }
            // A record that cannot be written does not: the others are written without its batch.
            let others = write(batches[..<position] + batches[(position + 1)...], &writer)
            let count = position - batches.startIndex
            return others[..<count] + [.failure(failure)] + others[count...]
        }
        if block.isEmpty { return answers }
        do {
            let isDurable = options.durability == .full
            try block.finish(durableEnd: isDurable ? block.start : Int(clamping: writer.state.durableEnd))
            if isDurable {
                do {
                    try block.file.sync()
                } catch {
                    // The system may have dropped what it could not write: the contents of the file are unknown now.
                    writer.failure = error
                    throw error
                }
            }
        } catch {
            undo(block, &writer)
            return answers.map { answer in answer.flatMap { _ in .failure(error) } }
        }
        writer.sequence = block.sequence
        view.withLock { block.apply(to: &$0) }
        return answers
    }

    /// Takes back what a failed write left behind; where that fails too, nothing more is written.
    private func undo(_ block: borrowing LogBlock, _ writer: inout LogWriter) {
        do {
            try block.file.truncate(to: block.start)
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
        try await withCheckedThrowingContinuation { continuation in
            onQueue(
                { store in Result { try store.writer.withLock { try body(store, &$0) } } },
                then: { continuation.resume(with: $0) })
        }
    }
}

extension Lock {
    /// Takes out what is held.
    func take<Wrapped>() -> sending Wrapped? where Value == Wrapped?, Wrapped: Sendable {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
