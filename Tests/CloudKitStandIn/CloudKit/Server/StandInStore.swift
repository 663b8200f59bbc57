import Foundation

/// The contents of a database.
struct StandInStore: Sendable {
    let scope: CKDatabase.Scope
    var zones: [String: StandInZone]
    var history = "database-" + UUID().uuidString
    var change = 0
    var deletedZones: [String: (change: Int, cause: CKDatabase.DatabaseChange.Deletion.Cause)] = [:]
    var subscriptions: [String: CKSubscription] = [:]

    init(scope: CKDatabase.Scope) {
        self.scope = scope
        // The public and the private database have a default zone, the shared one has none:
        // https://developer.apple.com/documentation/cloudkit/ckrecordzone
        zones = scope == .shared ? [:] : [CKRecordZone.ID.defaultZoneName: StandInZone(capabilities: [])]
    }

    /// The zone of an ID, or the error of each call for a zone that does not exist.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/zonenotfound,
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/userdeletedzone
    func zone(_ id: CKRecordZone.ID, user: String?) throws -> StandInZone {
        let owners = [CKCurrentUserDefaultName, user.map(StandInCloud.recordName(ofUser:))]
        if scope != .public, !owners.contains(id.ownerName) { throw CKError(.zoneNotFound) }
        if let zone = zones[id.zoneName] { return zone }
        throw CKError(deletedZones[id.zoneName]?.cause == .purged ? .userDeletedZone : .zoneNotFound)
    }

    mutating func put(_ zone: StandInZone, _ name: String) {
        change += 1
        zones[name] = zone
        zones[name]?.lastChange = change
    }
}

/// A zone with its records and the order of its changes.
struct StandInZone: Sendable {
    let capabilities: CKRecordZone.Capabilities
    var history = "zone-" + UUID().uuidString
    var lastChange = 0
    var change = 0
    var records: [String: (record: StandInRecord, change: Int)] = [:]
    var deletions: [String: (type: String, change: Int)] = [:]

    /// Types of the records by name, as far as they are indexed.
    var index: [String: String] = [:]

    /// Deleted records whose owned records are not deleted yet.
    var cascades: Set<String> = []

    init(capabilities: CKRecordZone.Capabilities) { self.capabilities = capabilities }

    mutating func put(_ record: StandInRecord) {
        change += 1
        records[record.id.recordName] = (record, change)
        deletions[record.id.recordName] = nil
    }

    mutating func delete(_ name: String) {
        guard let record = records.removeValue(forKey: name)?.record else { return }
        change += 1
        deletions[name] = (record.type, change)
        cascades.insert(name)
    }

    /// Deletes what the deleted records own, and so on: circles are allowed.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckrecord/reference
    mutating func finishCascades() {
        while let owner = cascades.popFirst() {
            for (name, stored) in records where stored.record.owners.contains(owner) { delete(name) }
        }
    }

    mutating func updateIndex(_ name: String) { index[name] = records[name]?.record.type }

    mutating func updateIndex() { index = records.mapValues(\.record.type) }
}
