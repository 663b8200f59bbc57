#if canImport(CloudKit)
import CloudKit
import Foundation
import NestedRecords

/// A zone of a database in CloudKit, or the public database.
struct CKDatabasePort: CloudKitPort {
    var isZone: Bool { database.databaseScope != .public }
    var deletesVersions: Bool { false }

    var assetZone: (any CloudKitPort)? {
        // A zone that another user shares has no other beside it.
        guard isZone, zone.ownerName == CKCurrentUserDefaultName else { return nil }
        let name = zone.zoneName + CloudKitNaming.assetZoneSuffix
        return CKDatabasePort(container, database, zone: CKRecordZone.ID(zoneName: name, ownerName: zone.ownerName))
    }

    private let container: CKContainer?
    private let database: CKDatabase
    private let zone: CKRecordZone.ID
    private let user: CloudKitUser

    /// - Parameter container: The container, for calls about the user; nil for reading alone.
    init(_ container: CKContainer?, _ database: CKDatabase, zone: CKRecordZone.ID) {
        (self.container, self.database, self.zone) = (container, database, zone)
        user = CloudKitUser()
    }

    // https://developer.apple.com/documentation/cloudkit/ckdatabase/records(for:desiredkeys:)
    func records(named names: [String]) async throws -> [String: PortRecord] {
        let results: [CKRecord.ID: Result<CKRecord, any Error>]
        do {
            results = try await database.records(for: names.map(id(named:)))
        } catch let error as CKError where error.code == .limitExceeded && names.count > 1 {
            let half = names.count / 2
            let first = try await records(named: Array(names[..<half]))
            return try await first.merging(records(named: Array(names[half...]))) { first, _ in first }
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
        var found: [String: PortRecord] = [:]
        for (id, result) in results {
            do {
                found[id.recordName] = try PortRecord(result.get())
            } catch let error as CKError where error.code == .unknownItem {
                continue
            } catch {
                throw CloudKitFailure(error, isWrite: false)
            }
        }
        return found
    }

    // https://developer.apple.com/documentation/cloudkit/ckdatabase/modifyrecords(saving:deleting:savepolicy:atomically:)
    func modify(saving saves: [PortSave], deleting deletions: [PortDeletion]) async throws {
        var files: [URL] = []
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let records: [CKRecord]
        do {
            records = try saves.map { try record(of: $0, &files) }
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
        var failures: [(name: String, error: any Error, isSave: Bool)] = []
        do {
            let results = try await database.modifyRecords(
                saving: records, deleting: deletions.map { id(named: $0.recordName) })
            for (id, result) in results.saveResults {
                if case .failure(let error) = result { failures.append((id.recordName, error, true)) }
            }
            for (id, result) in results.deleteResults {
                if case .failure(let error) = result { failures.append((id.recordName, error, false)) }
            }
        } catch let error as CKError where error.code == .partialFailure {
            let saved = Set(saves.map(\.recordName))
            for (item, error) in error.partialErrorsByItemID ?? [:] {
                guard let name = (item.base as? CKRecord.ID)?.recordName else { continue }
                failures.append((name, error, saved.contains(name)))
            }
            if failures.isEmpty {
                throw CloudKitFailure.unknownOutcome(
                    RecordDatabaseError(.connectionLost, reason: "a part of the request failed, and none is named"))
            }
        } catch {
            throw CloudKitFailure(error, isWrite: true)
        }
        if let failure = CloudKitFailure(failures) { throw failure }
    }

    // https://developer.apple.com/documentation/cloudkit/ckdatabase/records(matching:inzonewith:desiredkeys:resultslimit:)
    func records(ofType recordType: String, after marker: (any Sendable)?) async throws -> RecordsOfType {
        let page: (matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?)
        do {
            if let cursor = marker as? CKQueryOperation.Cursor {
                page = try await database.records(continuingMatchFrom: cursor)
            } else {
                let query = CKQuery(recordType: recordType, predicate: NSPredicate(value: true))
                page = try await database.records(matching: query)
            }
        } catch let error as CKError where error.code == .unknownItem && marker == nil {
            // The type has no records yet.
            return RecordsOfType(records: [], marker: nil)
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
        var records: [PortRecord] = []
        for (_, result) in page.matchResults {
            do {
                records.append(try PortRecord(result.get()))
            } catch let error as CKError where error.code == .unknownItem {
                // The index still has a deleted record.
                continue
            } catch {
                throw CloudKitFailure(error, isWrite: false)
            }
        }
        return RecordsOfType(records: records, marker: page.queryCursor)
    }

    // https://developer.apple.com/documentation/cloudkit/ckdatabase/recordzonechanges(inzonewith:since:desiredkeys:resultslimit:)
    func changes(since position: Data?, limit: Int?, hasFields: Bool) async throws -> ZoneChanges {
        let token = try position.map(Self.token(of:))
        do {
            let changes = try await database.recordZoneChanges(
                inZoneWith: zone, since: token, desiredKeys: hasFields ? nil : [], resultsLimit: limit)
            return ZoneChanges(
                saved: try changes.modificationResultsByID.values.map { try PortRecord($0.get().record) },
                deleted: changes.deletions.map { ($0.recordID.recordName, $0.recordType) },
                position: try NSKeyedArchiver.archivedData(
                    withRootObject: changes.changeToken, requiringSecureCoding: true),
                isComplete: !changes.moreComing)
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
    }

    private static func token(of position: Data) throws -> CKServerChangeToken {
        guard
            let token = try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: position)
        else { throw CloudKitFailure.other(RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore))) }
        return token
    }

    func makeZone() async throws {
        do {
            if let reason = try await container?.accountStatus().reason {
                throw RecordDatabaseError(.notSignedIn, reason: reason)
            }
            // Only the owner of a zone can make it.
            if !isZone || zone.ownerName != CKCurrentUserDefaultName { return }
            let results = try await database.modifyRecordZones(saving: [CKRecordZone(zoneID: zone)], deleting: [])
            for result in results.saveResults.values { _ = try result.get() }
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
    }

    // Also for a shared database, which has no subscriptions to zones:
    // https://developer.apple.com/documentation/cloudkit/ckdatabasesubscription
    func subscribe() async throws {
        let subscription = CKDatabaseSubscription(subscriptionID: "NestedRecords")
        let message = CKSubscription.NotificationInfo()
        message.shouldSendContentAvailable = true
        subscription.notificationInfo = message
        do {
            let results = try await database.modifySubscriptions(saving: [subscription], deleting: [])
            for result in results.saveResults.values { _ = try result.get() }
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
    }

    func userName() async throws -> String {
        do {
            return try await user.name { try await container?.userRecordID().recordName ?? "" }
        } catch {
            throw CloudKitFailure(error, isWrite: false)
        }
    }

    private func id(named name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    /// - Parameter files: The files that CloudKit reads until the request has ended.
    private func record(of save: PortSave, _ files: inout [URL]) throws -> CKRecord {
        // The record as it was read has the tag that the server compares. It is read for one save, so it can be changed.
        let record =
            save.base?.base as? CKRecord
            ?? CKRecord(recordType: save.recordType, recordID: id(named: save.recordName))
        for (name, value) in save.set {
            if case .file(let bytes) = value {
                let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                files.append(file)
                try bytes.write(to: file)
                record.setObject(CKAsset(fileURL: file), forKey: name)
            } else {
                record.setObject(value.object(in: zone), forKey: name)
            }
        }
        for name in save.removed { record.setObject(nil, forKey: name) }
        return record
    }
}

extension PortRecord {
    /// - Throws: `RecordDatabaseError` for a file of the library's own that the system has removed.
    init(_ record: CKRecord) throws {
        var values: [String: CloudKitValue] = [:]
        for key in record.allKeys() { values[key] = record.object(forKey: key).map { CloudKitValue($0) } }
        // Only a record that was never saved has neither a tag nor dates.
        self.init(
            fields: CloudKitFields(
                recordType: record.recordType, recordName: record.recordID.recordName, values: values),
            system: SystemFields(
                changeTag: record.recordChangeTag ?? "", creationDate: record.creationDate ?? .distantPast,
                modificationDate: record.modificationDate ?? .distantPast),
            base: record)
        if hasFile, let asset = record.object(forKey: ZoneAssetChunks.fileField) as? CKAsset {
            // The system may remove the file later: https://developer.apple.com/documentation/cloudkit/ckasset
            guard let bytes = try? asset.fileURL.map({ try Data(contentsOf: $0) }) else {
                throw RecordDatabaseError(.connectionLost, reason: "the fetched file of an asset cannot be read")
            }
            fields.values[ZoneAssetChunks.fileField] = .file(bytes)
        }
    }
}

extension CKAccountStatus {
    /// Why the account cannot be used; nil if it can.
    fileprivate var reason: String? {
        switch self {
        case .available: nil
        case .noAccount: "the device has no iCloud account"
        case .restricted: "the access to the iCloud account is restricted"
        case .couldNotDetermine: "the status of the iCloud account is unknown"
        case .temporarilyUnavailable: "the iCloud account is not available now"
        @unknown default: "the iCloud account cannot be used"
        }
    }
}
#endif
