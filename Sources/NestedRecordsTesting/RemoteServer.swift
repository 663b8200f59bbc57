import Foundation
@_spi(Engines) import NestedRecords

/// The other end of a ``FaultyRemoteDatabase``.
final class RemoteServer: Sendable {
    private enum Outcome {
        case saved([Record.ID: Record.Metadata])
        case void
    }

    private struct State {
        var random: UInt64
        var outcomes: [String: Outcome] = [:]

        /// The records that the last commits have replaced, oldest commit first; nil for new ones.
        var replaced: [[Record.ID: Record?]] = []
    }

    let options: FaultyRemoteDatabase.Options
    let memory: InMemoryRecordDatabase
    private let state: Lock<State>
    private let lastTurn = Lock<Task<Void, Never>?>(nil)

    init(_ options: FaultyRemoteDatabase.Options) {
        self.options = options
        memory = InMemoryRecordDatabase(maximumDeletionCount: options.maximumDeletionCount)
        state = Lock(State(random: options.seed))
    }

    /// Waits for the time that a call takes, and throws if the call is lost or refused.
    ///
    /// - Parameter lost: The error of a lost call.
    func arrive(orThrow lost: RecordDatabaseError = RecordDatabaseError(.connectionLost)) async throws {
        if options.latency > .zero { try await Task.sleep(for: options.latency) } else { await Task.yield() }
        try Task.checkCancellation()
        if draws(options.lostRequests) { throw lost }
        if draws(options.refusedRequests) {
            var error = RecordDatabaseError(.tooManyRequests)
            error.retryAfter = options.retryAfter
            throw error
        }
    }

    /// Whether a random number is below a share.
    ///
    /// The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
    private func draws(_ share: Double) -> Bool {
        guard share > 0 else { return false }
        let bits = state.withLock { state in
            state.random &+= 0x9E37_79B9_7F4A_7C15
            var bits = state.random
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
        return Double(bits >> 11) / Double(1 << 53) < share
    }

    /// Calls closures one after the other, in the order of the calls; a closure that has begun is not cancelled.
    private func inTurn<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = lastTurn.withLock { last in
            let task = Task { [last] in
                await last?.value
                return try await body()
            }
            last = Task { _ = await task.result }
            return task
        }
        return try await task.value
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        if options.capabilities.contains(.snapshotReads) { return try await memory.records(for: ids) }
        var found: [Record] = []
        for id in ids {
            found += try await memory.records(for: [id])
            await Task.yield()
        }
        return found
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        if batch.saves.count > 1, draws(options.partialFailures) {
            var error = RecordDatabaseError(.busy, reason: "one of the records is in use", recordID: batch.saves[0].id)
            error.failures[batch.saves[0].id] = RecordDatabaseError(.busy, recordID: batch.saves[0].id)
            throw error
        }
        let isLost = draws(options.lostAcknowledgements)
        let saved = try await inTurn { [self] in
            if let id = batch.id, state.withLock({ $0.outcomes[id] != nil }) {
                throw RecordDatabaseError(.batchVoided, .batch(id))
            }
            let ids = batch.saves.map(\.id) + batch.deletions.map(\.id)
            let found = try await memory.records(for: ids)
            let former = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            var applied = batch
            applied.id = nil
            let saved = try await memory.commit(applied)
            state.withLock { state in
                if let id = batch.id { state.outcomes[id] = .saved(saved) }
                state.replaced.append(Dictionary(ids.map { ($0, former[$0]) }, uniquingKeysWith: { first, _ in first }))
                if state.replaced.count > options.queryLag { state.replaced.removeFirst() }
            }
            return saved
        }
        if isLost { throw lostCommit(batch) }
        return saved
    }

    /// The error of a caller who does not know whether a batch has arrived.
    func lostCommit(_ batch: RecordBatch) -> RecordDatabaseError {
        RecordDatabaseError(.unknownOutcome, batch.id.map { .batch($0) })
    }

    func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        try await inTurn { [self] in
            try state.withLock { state in
                if case .saved(let saved) = state.outcomes[id] { return saved }
                guard let date = RecordBatch.parts(ofID: id)?.date,
                    Date().timeIntervalSince(date) < options.outcomeAge.inSeconds
                else { throw RecordDatabaseError(.outcomeForgotten, .batch(id)) }
                state.outcomes[id] = .void
                return nil
            }
        }
    }

    func visibleRecords(ofType type: String?) async throws -> [Record] {
        try await inTurn { [self] in
            var records: [Record.ID: Record] = [:]
            for try await record in memory.storedRecords(ofType: type) { records[record.id] = record }
            if !options.capabilities.contains(.readYourQueries) {
                for commit in state.withLock({ $0.replaced }).reversed() {
                    for (id, record) in commit where type == nil || id.type == type { records[id] = record }
                }
            }
            return records.values.sorted { $0.id < $1.id }
        }
    }
}
