import NestedRecords

/// Reads the changes of a database and prints them.
struct ChangeReading {
    /// The maximum number of changes held in memory, except for a larger batch.
    private static let pageSize = 1_000

    let feed: any RecordFeed
    let filter: FilterOptions
    let printer: any ChangePrinter

    /// Whether to wait for changes after the latest one.
    let follows: Bool

    /// The number of changes to print, or slightly more: a batch is printed whole; nil for all.
    var limit: Int?

    /// The bar that counts the changes, also those that are not printed.
    var progress: ProgressBar?

    /// Prints changes as they happen.
    ///
    /// The token after the last printed change is always printed last, also after an error.
    ///
    /// - Throws: Errors of reading and writing; nothing if the task is cancelled.
    func run(from start: ChangeToken) async throws {
        var token = start
        defer { printer.end(token) }
        do {
            try printer.begin(token)
            try await print(from: &token)
        } catch is CancellationError {
            return
        }
    }

    private func print(from token: inout ChangeToken) async throws {
        var (printedCount, pageSize) = (0, Self.pageSize)
        while true {
            var changes = try await feed.changes(since: token, limit: pageSize)
            let isComplete = changes.isComplete
            let isNew = changes.token != token
            let readCount = changes.saved.count + changes.deleted.count
            changes.saved = try await filter.filtered(changes.saved, in: feed.database)
            changes.deleted.removeAll { !filter.includes(type: $0.type) }
            let count = changes.saved.count + changes.deleted.count
            if let limit, printedCount + count > limit, pageSize > 1 {
                // Too many: read again in smaller pages, to stop before the last ones.
                pageSize /= 2
                continue
            }
            // Also without changes: in JSON the new token lets the next run skip filtered changes.
            if isNew { try printer.print(changes) }
            progress?.advance(by: readCount)
            token = changes.token
            printedCount += count
            if let limit, printedCount >= limit { return }
            guard isComplete else { continue }
            guard follows else { return }
            try await feed.waitForChanges(after: token)
        }
    }
}
