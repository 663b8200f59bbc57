import Foundation
import NestedRecords

struct FeedReader {
    private(set) var token: ChangeToken

    /// The records that were saved since the first token, as they were last reported.
    private(set) var records: [Record.ID: Record] = [:]

    private(set) var deleted: Set<Record.ID> = []

    /// More pages than the changes of any requirement need.
    private static let mostPages = 100_000

    init(_ database: any RecordFeed) async throws { self.init(at: try await database.changeToken()) }

    init(at token: ChangeToken) { self.token = token }

    @discardableResult
    mutating func readPage(of database: any RecordFeed, limit: Int = 1_000) async throws -> RecordChanges {
        let page = try await database.changes(since: token, limit: limit)
        let ids = page.saved.map(\.id) + page.deleted
        try expect(Set(ids).count == ids.count, "a page has a record twice")
        for record in page.saved {
            records[record.id] = record
            deleted.remove(record.id)
        }
        for id in page.deleted {
            records[id] = nil
            deleted.insert(id)
        }
        // The text of the token is parsed, as if another process read each page.
        token = try unwrap(ChangeToken(page.token.description), "the token '\(page.token)' cannot be read again")
        return page
    }

    mutating func readAll(of database: any RecordFeed, limit: Int = 1_000) async throws {
        for _ in 0..<Self.mostPages where try await readPage(of: database, limit: limit).isComplete { return }
        throw UnmetExpectation(explanation: "the pages have no end")
    }

    /// Fails the check unless exactly these records were reported as saved, and these as deleted.
    func expectKnows(_ expected: [Record], deleted expectedDeletions: [Record.ID] = []) throws {
        for record in expected {
            let found = try unwrap(records[record.id], "the feed lacks the saved record \(record.id)")
            try found.expectIsIdentical(to: record)
        }
        for id in expectedDeletions {
            try expect(deleted.contains(id), "the feed lacks the deleted record \(id)")
        }
        for id in records.keys where !expected.contains(where: { $0.id == id }) {
            throw UnmetExpectation(explanation: "the feed has the record \(id), which was not saved")
        }
        for id in deleted where !expectedDeletions.contains(id) {
            throw UnmetExpectation(explanation: "the feed wrongly says that \(id) was deleted")
        }
    }
}

/// Whether a call ends within a minute, which is enough for a database that looks for changes every few seconds.
///
/// A call that takes longer is cancelled, and not waited for.
func endsInTime(_ call: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    let (results, continuation) = AsyncStream<Result<Bool, any Error>>.makeStream()
    let caller = Task {
        do {
            try await call()
            continuation.yield(.success(true))
        } catch {
            continuation.yield(.failure(error))
        }
    }
    let patience = Task {
        try await Patience.clock.sleep(for: .seconds(60))
        continuation.yield(.success(false))
    }
    defer {
        caller.cancel()
        patience.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
}

enum Patience {
    /// A clock that tests of faulty databases replace.
    @TaskLocal static var clock: any Clock<Duration> = ContinuousClock()
}
