#if canImport(CloudKit)
public import CloudKit
import Foundation
public import NestedRecords

extension RecordGraph {
    /// Returns the records as those of CloudKit, for apps with their own code that saves them.
    ///
    /// ```swift
    /// let records = try RecordEncoder().encode(school).ckRecords()
    /// try await database.modifyRecords(saving: records, deleting: [])
    /// ```
    ///
    /// References own their records in CloudKit as they do here. Server timestamps are the time of the call.
    ///
    /// - Parameters:
    ///   - zone: The zone of the records.
    ///   - naming: How the records are named: by default with their names alone.
    /// - Returns: New records, in the order of the graph.
    /// - Throws: `RecordError` with the code `invalidID` for a name that CloudKit does not take; `RecordDatabaseError` with
    ///   the code `unsupported` for an asset.
    public func ckRecords(
        in zone: CKRecordZone.ID = .default, naming: CloudKitNaming = .plain(targets: [:])
    ) throws -> [CKRecord] {
        let mapping = RecordMapping(naming: naming, writesActions: true)
        let date = Date()
        let now = Record.Metadata(changeTag: "", creationDate: date, modificationDate: date)
        var names: Set<String> = []
        return try map { record in
            if !names.insert(naming.recordName(of: record.id)).inserted {
                throw RecordError(
                    .invalidID, reason: "a record of another type has this name in CloudKit", recordID: record.id)
            }
            if let fault = naming.fault(of: record.id) {
                throw RecordError(.invalidID, reason: fault, recordID: record.id)
            }
            var record = record.saved(as: now)
            record.metadata = nil
            let fields = try mapping.encode(record)
            let id = CKRecord.ID(recordName: fields.recordName, zoneID: zone)
            let found = CKRecord(recordType: fields.recordType, recordID: id)
            for (name, value) in fields.values { found.setObject(value.object(in: zone), forKey: name) }
            return found
        }
    }
}

extension RecordDecoder {
    /// Decodes a record of CloudKit, with the records that it refers to.
    ///
    /// ```swift
    /// let school = try await RecordDecoder().decode(School.self, from: record, in: database)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - record: The root's record, which is not fetched again.
    ///   - database: The database with the other records, which are in the zone of the record.
    ///   - naming: How the records are named. References of other programs need the types of their targets.
    /// - Returns: The value, with all nested values.
    /// - Throws: The errors of `decode(_:from:in:)` for a database; `RecordError` with the code `invalidResponse` for a
    ///   record of another naming, and for a reference to a record whose type is unknown.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from record: CKRecord, in database: CKDatabase,
        naming: CloudKitNaming = .plain(targets: [:])
    ) async throws -> sending Root {
        var options = CloudKitRecordDatabase.Options()
        options.naming = naming
        let zone = CloudKitRecordDatabase(
            CKDatabasePort(nil, database, zone: record.recordID.zoneID), store: record.recordID.zoneID.zoneName,
            options: options)
        let read = try PortRecord(record)
        guard let content = try zone.mapping.decode(read.fields, read.system), !content.isDeleted else {
            throw RecordError(
                .invalidResponse,
                reason:
                    "the record \(record.recordID.recordName.debugDescription) of the type '\(record.recordType)' does not"
                    + " have the name of one of this library")
        }
        return try await decode(type, from: content.record, in: zone)
    }
}
#endif
