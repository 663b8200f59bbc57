import Foundation

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension CKDatabase {
    /// Page: cloudkit/ckdatabase/recordzones(for:).
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        try container.cloud.zones(self, ids)
    }

    /// Page: cloudkit/ckdatabase/allrecordzones().
    public func allRecordZones() async throws -> [CKRecordZone] { try container.cloud.allZones(self) }

    /// Page: cloudkit/ckdatabase/modifyrecordzones(saving:deleting:).
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        try container.cloud.modifyZones(self, recordZonesToSave, recordZoneIDsToDelete)
    }

    /// Page: cloudkit/ckdatabase/recordzonechanges(inzonewith:since:desiredkeys:resultslimit:).
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>],
        deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try container.cloud.zoneChanges(self, zoneID, changeToken, desiredKeys, resultsLimit)
    }

    /// Page: cloudkit/ckdatabase/databasechanges(since:resultslimit:).
    public func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [CKDatabase.DatabaseChange.Modification],
        deletions: [CKDatabase.DatabaseChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try container.cloud.databaseChanges(self, changeToken, resultsLimit)
    }
}
