import Foundation

extension StandInCloud {
    /// Makes all change tokens until now expire.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/changetokenexpired
    public func expireTokens() { state.withLock { $0.epoch += 1 } }

    /// The newest state of each changed record once, in the order of the changes, and deletions with their types.
    ///
    /// A page can end inside of a batch.
    /// https://developer.apple.com/documentation/cloudkit/ckdatabase/recordzonechanges(inzonewith:since:desiredkeys:resultslimit:)
    func zoneChanges(
        _ database: CKDatabase, _ zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?, _ keys: [String]?,
        _ limit: Int?
    ) throws -> (
        modificationResultsByID: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>],
        deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try perform(.recordZoneChanges, database) { user, state in
            try state.use(self, database, user) { store, state in
                let zone = try store.zone(zoneID, user: user)
                // Default zones lack the capability. The code is that of a report. [not verified]
                // https://developer.apple.com/documentation/cloudkit/ckrecordzone/capabilities-swift.struct/fetchchanges
                guard zone.capabilities.contains(.fetchChanges) else { throw CKError(.serverRejectedRequest) }
                let start = try change(token?.position, zone.history, state.epoch)
                let changes = zone.changes(after: start, min(limit ?? .max, state.settings.changesPageLimit))
                var found: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>] = [:]
                var deletions: [CKDatabase.RecordZoneChange.Deletion] = []
                for item in changes.page {
                    let id = CKRecord.ID(recordName: item.name, zoneID: zoneID)
                    if let type = item.type {
                        deletions.append(CKDatabase.RecordZoneChange.Deletion(recordID: id, recordType: type))
                    } else if var record = zone.records[item.name]?.record {
                        record.id = id
                        found[id] = Result {
                            CKDatabase.RecordZoneChange.Modification(record: try delivered(record, keys))
                        }
                    }
                }
                let position = StandInPosition(history: zone.history, epoch: state.epoch, change: changes.end)
                return (found, deletions, CKServerChangeToken(position), changes.more)
            }
        }
    }

    /// Zones that are new, changed or deleted.
    ///
    /// Only for private and shared databases, and without default zones, as database subscriptions:
    /// https://developer.apple.com/documentation/cloudkit/ckdatabasesubscription. The code of the error [not verified]
    func databaseChanges(
        _ database: CKDatabase, _ token: CKServerChangeToken?, _ limit: Int?
    ) throws -> (
        modifications: [CKDatabase.DatabaseChange.Modification],
        deletions: [CKDatabase.DatabaseChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try perform(.databaseChanges, database) { user, state in
            guard database.databaseScope != .public else { throw CKError(.badDatabase) }
            return try state.use(self, database, user) { store, state in
                let start = try change(token?.position, store.history, state.epoch)
                let changes = store.changes(after: start, min(limit ?? .max, state.settings.changesPageLimit))
                let position = StandInPosition(history: store.history, epoch: state.epoch, change: changes.end)
                return (
                    changes.page.filter { $0.cause == nil }.map {
                        CKDatabase.DatabaseChange.Modification(zoneID: CKRecordZone.ID(zoneName: $0.name))
                    },
                    changes.page.compactMap { item in
                        item.cause.map {
                            CKDatabase.DatabaseChange.Deletion(zoneID: CKRecordZone.ID(zoneName: item.name), cause: $0)
                        }
                    },
                    CKServerChangeToken(position), changes.more
                )
            }
        }
    }

    /// Where to start: a token of a database is not one of a zone.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckserverchangetoken. The error of a token of another
    /// database or zone, or of a former zone of the name, [not verified].
    func change(_ position: StandInPosition?, _ history: String, _ epoch: Int) throws -> Int {
        guard let position else { return 0 }
        guard position.history == history, position.epoch == epoch else { throw CKError(.changeTokenExpired) }
        return position.change
    }
}

extension StandInZone {
    /// A page of what changed, in order: names, and the types of those that were deleted.
    func changes(
        after start: Int, _ limit: Int
    ) -> (page: [(name: String, type: String?, change: Int)], end: Int, more: Bool) {
        let modified = records.map { (name: $0.key, type: nil as String?, change: $0.value.change) }
        let deleted = deletions.map { (name: $0.key, type: Optional($0.value.type), change: $0.value.change) }
        let all = (modified + deleted).filter { $0.change > start }.sorted { $0.change < $1.change }
        let page = Array(all.prefix(limit))
        let more = page.count < all.count
        return (page, more ? page.last?.change ?? start : change, more)
    }
}

extension StandInStore {
    typealias Cause = CKDatabase.DatabaseChange.Deletion.Cause

    /// A page of the zones that changed, in order, and the causes of those that were deleted.
    func changes(
        after start: Int, _ limit: Int
    ) -> (page: [(name: String, change: Int, cause: Cause?)], end: Int, more: Bool) {
        let changed = zones.filter { $0.key != CKRecordZone.ID.defaultZoneName }.map {
            (name: $0.key, change: $0.value.lastChange, cause: nil as Cause?)
        }
        let deleted = deletedZones.map { (name: $0.key, change: $0.value.0, cause: Optional($0.value.1)) }
        let all = (changed + deleted).filter { $0.change > start }.sorted { $0.change < $1.change }
        let page = Array(all.prefix(limit))
        let more = page.count < all.count
        return (page, more ? page.last?.change ?? start : change, more)
    }
}
