import Foundation

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension CKDatabase {
    /// Page: cloudkit/ckdatabase/record(for:).
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        guard let result = try container.cloud.records(self, .record, for: [recordID], keys: nil)[recordID] else {
            throw CKError(.internalError)
        }
        return try result.get()
    }

    /// Page: cloudkit/ckdatabase/records(for:desiredkeys:).
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        try container.cloud.records(self, .records, for: ids, keys: desiredKeys)
    }

    /// Page: cloudkit/ckdatabase/save(_:)-1j6fq.
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let results = try container.cloud.modify(self, .saveRecord, [record], [], .ifServerRecordUnchanged, nil)
        guard let result = results.saveResults[record.recordID] else { throw CKError(.internalError) }
        return try result.get()
    }

    /// Page: cloudkit/ckdatabase/deleterecord(withid:).
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let results = try container.cloud.modify(self, .deleteRecord, [], [recordID], .ifServerRecordUnchanged, nil)
        try results.deleteResults[recordID]?.get()
        return recordID
    }

    /// Page: cloudkit/ckdatabase/modifyrecords(saving:deleting:savepolicy:atomically:).
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        try container.cloud.modify(self, .modifyRecords, recordsToSave, recordIDsToDelete, savePolicy, atomically)
    }

    /// Page: cloudkit/ckdatabase/records(matching:inzonewith:desiredkeys:resultslimit:).
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try container.cloud.query(self, query, zoneID, desiredKeys, resultsLimit)
    }

    /// Page: cloudkit/ckdatabase/records(continuingmatchfrom:desiredkeys:resultslimit:).
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try container.cloud.query(self, continuing: queryCursor, desiredKeys, resultsLimit)
    }
}
