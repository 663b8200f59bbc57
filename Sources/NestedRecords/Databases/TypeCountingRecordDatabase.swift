/// A database that counts the records of each type without handing them out.
package protocol TypeCountingRecordDatabase: RecordDatabase {
    func recordCounts() async throws -> [String: Int]
}

extension RecordDatabase {
    /// This database, or the one before which it stands with all of the same records, if that counts by itself.
    package var typeCounter: (any TypeCountingRecordDatabase)? {
        switch self {
        case let counter as any TypeCountingRecordDatabase: counter
        case let database as MonitoredRecordDatabase: database.base.typeCounter
        case let database as QueuedRecordDatabase: database.base.typeCounter
        case let database as CachedRecordDatabase: database.base.typeCounter
        default: nil
        }
    }
}
