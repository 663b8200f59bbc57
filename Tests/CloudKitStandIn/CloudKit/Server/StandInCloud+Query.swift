import Foundation

extension StandInCloud {
    typealias QueryResults = (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    )

    /// Finds records by the index, in the order of their names.
    ///
    /// The predicate is asked with a copy of each record. CloudKit takes only format strings, and
    /// Foundation has no format strings here. So a test can only mean `NSPredicate(value: true)`, which apps use, too.
    /// https://developer.apple.com/documentation/cloudkit/ckquery
    func query(
        _ database: CKDatabase, _ query: CKQuery, _ zoneID: CKRecordZone.ID?, _ keys: [String]?, _ limit: Int
    ) throws -> QueryResults {
        try perform(.query, database) { user, state in
            // A report: github.com/kasianov-mikhail/scout/pull/254
            guard state.schema[query.recordType] != nil else { throw CKError(.unknownItem) }
            guard state.settings.queryableTypes?.contains(query.recordType) ?? true else {
                throw CKError.invalid("no index for queries of \(query.recordType)")  // [not verified]
            }
            guard query.sortDescriptors?.isEmpty ?? true else { throw CKError.invalid("the stand-in does not sort") }
            return try state.use(self, database, user) { store, state in
                let names = try zoneID.map { [$0.zoneName: try store.zone($0, user: user)] } ?? store.zones
                var found: [CKRecord.ID] = []
                for (name, zone) in names.sorted(by: { $0.key < $1.key }) {
                    let id = zoneID ?? CKRecordZone.ID(zoneName: name)
                    for (record, type) in zone.index.sorted(by: { $0.key < $1.key }) where type == query.recordType {
                        found.append(CKRecord.ID(recordName: record, zoneID: id))
                    }
                }
                return page(found, store, user, keys, limit, state.settings.queryPageLimit) {
                    query.predicate.evaluate(with: $0)
                }
            }
        }
    }

    func query(
        _ database: CKDatabase, continuing cursor: CKQueryOperation.Cursor, _ keys: [String]?, _ limit: Int
    ) throws -> QueryResults {
        try perform(.query, database) { user, state in
            let pageLimit = state.settings.queryPageLimit
            return state.use(self, database, user) { store, _ in
                page(cursor.remaining, store, user, keys, limit, pageLimit) { _ in true }
            }
        }
    }

    private func page(
        _ ids: [CKRecord.ID], _ store: StandInStore, _ user: String?, _ keys: [String]?, _ limit: Int, _ pageLimit: Int,
        _ matches: (CKRecord) -> Bool
    ) -> QueryResults {
        let known = ids.compactMap { id -> (CKRecord.ID, StandInRecord)? in
            guard var record = try? store.zone(id.zoneID, user: user).records[id.recordName]?.record else { return nil }
            record.id = id
            return matches(CKRecord(record)) ? (id, record) : nil
        }
        let count = limit == CKQueryOperation.maximumResults ? pageLimit : min(limit, pageLimit)
        let results = known.prefix(count).map { id, record in (id, Result { try delivered(record, keys) }) }
        let rest = known.dropFirst(count).map(\.0)
        return (results, rest.isEmpty ? nil : CKQueryOperation.Cursor(remaining: rest))
    }

    /// Queries see all changes until now.
    public func updateIndexes() { changeZones { $0.updateIndex() } }

    /// Deletes what deleted records of default zones own.
    public func finishCascades() { changeZones { $0.finishCascades() } }

    private func changeZones(_ body: (inout StandInZone) -> Void) {
        state.withLock { state in
            for (key, store) in state.stores {
                var store = store
                for (name, zone) in store.zones {
                    var new = zone
                    body(&new)
                    if !state.settings.indexesLag { new.updateIndex() }
                    if new.change > zone.change { store.put(new, name) } else { store.zones[name] = new }
                }
                state.stores[key] = store
            }
        }
    }
}
