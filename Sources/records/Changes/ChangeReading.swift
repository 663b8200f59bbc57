import NestedRecords

/// Goes through the changes of a database and prints them.
struct ChangeReading {
    /// When to end.
    enum End: Equatable {
        /// Not before the task is cancelled.
        case never

        /// Behind the last change that there is.
        case atCurrentState

        /// When so many changes were printed, or a few more: a batch is printed whole.
        case afterChanges(Int)
    }

    /// The greatest number of changes that are held in memory, apart from those of one batch.
    private static let pageSize = 1_000

    let database: any ObservableRecordDatabase
    let filter: FilterOptions
    let printer: any ChangePrinter

    /// Prints changes as they come.
    ///
    /// Whatever ends it, the place behind what was printed is printed last.
    ///
    /// - Parameters:
    ///   - start: The place to begin at.
    ///   - end: When to end.
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
            var changes = try await database.changes(since: token, limit: limit)
            let isComplete = changes.isComplete
            let isNew = changes.token != token
            changes.saved = try await filter.filtered(changes.saved, in: database)
            if let type = filter.type { changes.deleted.removeAll { $0.type != type } }
            let count = changes.saved.count + changes.deleted.count
            if case .afterChanges(let wanted) = end, printedCount + count > wanted, limit > 1 {
                // Too many: the same again in smaller pages, of which the last ones are not read.
                limit /= 2
                continue
            }
            // In JSON also without a change, so that the next run does not look at the same ones again.
            if isNew { try printer.print(changes) }
            token = changes.token
            printedCount += count
            switch end {
            case .afterChanges(let count) where printedCount >= count: return
            case .atCurrentState where isComplete: return
            default: if isComplete { try await database.waitForChanges(after: token) }
            }
        }
    }
}
