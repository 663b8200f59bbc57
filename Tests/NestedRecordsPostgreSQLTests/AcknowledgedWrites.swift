#if PostgreSQL
import NestedRecords
import NestedRecordsPostgreSQL
import TestSupport
import Testing

/// Writers that save batches of two records, and know what was acknowledged.
final class AcknowledgedWrites: Sendable {
    private let isDone = Locked(false)
    private let values = Locked<[String: Int64]>([:])

    /// The number of acknowledged batches, or more.
    var count: Int64 { values.withLock { $0.values.reduce(0, +) } }

    /// Four writers save while the closure runs.
    func write(to database: PostgreSQLRecordDatabase, while body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { [self] in
                    var value: Int64 = 0
                    while !isDone.withLock({ $0 }), !Task.isCancelled {
                        value += 1
                        let records = try ["x", "y"].map { try Flat.record("Book/\(writer)\($0)", ["a": .int(value)]) }
                        if try await Self.isSaved(records, in: database) {
                            values.withLock { [value] in $0["\(writer)"] = value }
                        }
                    }
                }
            }
            try await body()
            isDone.withLock { $0 = true }
            try await group.waitForAll()
        }
    }

    /// Expects the last acknowledged value of each writer, in both of its records.
    func expectWhole(in database: PostgreSQLRecordDatabase) async throws {
        let records = try await database.allRecords
        for (writer, value) in values.withLock({ $0 }) {
            for name in ["x", "y"] { #expect(records[try Record.ID("Book/\(writer)\(name)")]?["a"] == .int(value)) }
        }
    }

    /// Saves records, and waits until it is known whether they are saved.
    private static func isSaved(_ records: [Record], in database: PostgreSQLRecordDatabase) async throws -> Bool {
        do {
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            return true
        } catch let failure as RecordDatabaseError {
            guard failure.code == .unknownOutcome else {
                #expect(failure.isTransient, "\(failure)")
                try await waitUntil { (try? await database.changeToken()) != nil }
                return false
            }
            let id = try #require(failure.batchID)
            var isCommitted = false
            try await waitUntil {
                do {
                    isCommitted = try await database.outcome(of: id) != nil
                    return true
                } catch let failure as RecordDatabaseError where failure.isTransient {
                    return false
                }
            }
            return isCommitted
        }
    }
}
#endif
