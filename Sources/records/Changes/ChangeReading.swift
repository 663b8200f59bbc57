import NestedRecords

/// Reads the changes of a database and prints them.
struct ChangeReading {
    /// The end of reading.
    enum End: Equatable {
        /// When the task is cancelled.
        case never

        /// After the latest change.
        case atCurrentState

        /// After this number of changes, or slightly more: a batch is printed whole.
        case afterChanges(Int)
    }

    /// The maximum number of changes held in memory, except for a larger batch.
    private static let pageSize = 1_000

    let feed: any RecordFeed
    let filter: FilterOptions
    let printer: any ChangePrinter

    /// The bar that counts the changes, also those that are not printed.
    var progress: ProgressBar?

    /// Prints changes as they happen.
    ///
    /// The token after the last printed change is always printed last, also after an error.
    ///
    /// - Parameters:
    ///   - start: The token to start after.
    ///   - end: The end of reading.
    /// - Throws: Errors of reading and writing; nothing if the task is cancelled.
    func run(from start: ChangeToken, until end: End) async throws {
        var token = start
        defer { printer.end(token) }
        do {
            try printer.begin(token)
            try await print(from: &token, until: end)
        } catch is CancellationError {
            return
        }
    }

    private func print(from token: inout ChangeToken, until end: End) async throws {
        var (printedCount, limit) = (0, Self.pageSize)
        while true {
            var changes = try await feed.changes(since: token, limit: limit)
            let isComplete = changes.isComplete
            let isNew = changes.token != token
            let readCount = changes.saved.count + changes.deleted.count
            changes.saved = try await filter.filtered(changes.saved, in: feed.database)
            changes.deleted.removeAll { !filter.includes(type: $0.type) }
            let count = changes.saved.count + changes.deleted.count
            if case .afterChanges(let wanted) = end, printedCount + count > wanted, limit > 1 {
                // Too many: read again in smaller pages, to stop before the last ones.
                limit /= 2
                continue
            }
            // Also without changes: in JSON the new token lets the next run skip filtered changes.
            if isNew { try printer.print(changes) }
            progress?.advance(by: readCount)
            token = changes.token
            printedCount += count
            switch end {
            case .afterChanges(let count) where printedCount >= count: return
            case .atCurrentState where isComplete: return
            default: if isComplete { try await feed.waitForChanges(after: token) }
            }
        }
    }
}
