package import NestedRecords

/// A database that remembers what it was asked for, and fails or lies where a test wants it to.
package final class CountingDatabase: RecordDatabase {
    package struct Failure: Error, Equatable {
        package let call: Int

        package init(call: Int) { self.call = call }
    }

    package typealias Answer = [Record]

    package struct Modification {
        package let saved: [Record]
        package let deleted: [Record.ID]

        /// The texts of the IDs, with a minus before those that were deleted.
        package var texts: [String] { saved.map(\.id.description) + deleted.map { "-\($0)" } }
    }

    package let limits: RecordDatabaseLimits
    package var capabilities: RecordCapabilities { base.capabilities }
    private let base: any RecordDatabase
    private let failingCall: Int?
    private let alter: @Sendable ([Record.ID], Answer) throws -> Answer
    private let beforeSave: @Sendable (Int) async throws -> Void
    private let state = Locked<[[Record.ID]]>([])
    private let saves = Locked<[Modification]>([])

    /// - Parameters:
    ///   - base: The database that answers.
    ///   - failingCall: The call that throws a ``Failure``, counted from 1.
    ///   - beforeSave: Called before each modification, with its number, counted from 1; may throw instead.
    ///   - alter: Makes another answer of the IDs asked for and the true answer.
    package init(
        _ base: some RecordDatabase, batchLimit: Int? = nil, failingCall: Int? = nil,
        beforeSave: @escaping @Sendable (Int) async throws -> Void = { _ in },
        alter: @escaping @Sendable ([Record.ID], Answer) throws -> Answer = { $1 }
    ) {
        self.base = base
        limits = batchLimit.map { RecordDatabaseLimits(batchCount: $0) } ?? base.limits
        self.failingCall = failingCall
        self.beforeSave = beforeSave
        self.alter = alter
    }

    /// A database in memory with these records.
    package convenience init(
        holding records: some Sequence<Record>, batchLimit: Int? = nil, failingCall: Int? = nil,
        alter: @escaping @Sendable ([Record.ID], Answer) throws -> Answer = { $1 }
    ) async throws {
        let memory = InMemoryRecordDatabase()
        _ = try await memory.commit(RecordBatch(saving: Array(records), savePolicy: .overwrite))
        self.init(memory, batchLimit: batchLimit, failingCall: failingCall, alter: alter)
    }

    /// The IDs of each call, in the order of the calls.
    package var calls: [[Record.ID]] { state.withLock { $0 } }

    /// The texts of the IDs of each call, sorted.
    package var sortedCalls: [[String]] { calls.map { $0.map(\.description).sorted() } }

    /// The texts of all IDs that were asked for, in order.
    package var asked: [String] { calls.flatMap { $0.map(\.description) } }

    /// What was saved and deleted, or tried to be, call by call.
    package var modifications: [Modification] { saves.withLock { $0 } }

    package func forgetCalls() {
        state.withLock { $0 = [] }
        saves.withLock { $0 = [] }
    }

    package func records(for ids: [Record.ID]) async throws -> Answer {
        let number = state.withLock { calls in
            calls.append(ids)
            return calls.count
        }
        if number == failingCall { throw Failure(call: number) }
        return try alter(ids, try await base.records(for: ids))
    }

    package func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        let number = saves.withLock { saves in
            saves.append(Modification(saved: batch.saves, deleted: batch.deletions.map(\.id)))
            return saves.count
        }
        try await beforeSave(number)
        return try await base.commit(batch)
    }

    package func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}
