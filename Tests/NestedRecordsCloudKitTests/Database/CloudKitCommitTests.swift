#if canImport(CloudKit) && os(Linux)
import CloudKit
import CoreLocation
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

struct CloudKitCommitTests {
    private let cloud = StandInCloud()
    private let zone = CKRecordZone.ID(zoneName: "NestedRecords", ownerName: CKCurrentUserDefaultName)

    /// The database of an app with code of its own.
    private var app: CKDatabase { cloud.container(user: "ann").privateCloudDatabase }

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: "\(name):School", zoneID: zone) }

    private func school(_ name: String, _ fields: Record.Fields = [:]) throws -> Record {
        try Record(id: Record.ID(type: "School", name: name), fields: fields)
    }

    @Test func otherProgramsReadAndChangeRecords() async throws {
        let database = try await database(cloud)
        let school = try school("1", ["name": "Hill", "isOpen": true, "rooms": [["a": 1]]])
        try await database.commit(RecordBatch(saving: [school]))
        let record = try await app.record(for: id("1"))
        let name: String? = (record.object(forKey: "name") as? NSString).map { String($0) }
        #expect(name == "Hill" && record.recordType == "School")
        record.setObject(NSString(string: "Lake"), forKey: "name")
        _ = try await app.save(record)
        let changed = try #require(try await database.record(for: school.id))
        #expect(changed.fields == ["name": "Lake", "isOpen": true, "rooms": [["a": 1]]])
    }

    @Test func changesOfOtherProgramsAreConflicts() async throws {
        let database = try await database(cloud)
        let answer = try await database.commit(RecordBatch(saving: [try school("1", ["name": "Hill"])]))
        let saved = try school("1", ["name": "Hill"]).saved(as: try #require(answer.values.first))
        let record = try await app.record(for: id("1"))
        record.setObject(NSString(string: "Lake"), forKey: "name")
        _ = try await app.save(record)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [saved]))
        }
        #expect(error?.code == .conflict && error?.serverRecord?["name"] == "Lake")
    }

    @Test func whatRecordsLackStaysInCloudKit() async throws {
        let database = try await database(cloud)
        try await database.commit(RecordBatch(saving: [try school("1", ["place": .location(try Location("1.5;2.5"))])]))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("photo-\(UUID().uuidString)")
        try Data("photo".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let record = try await app.record(for: id("1"))
        record.setObject(CKAsset(fileURL: file), forKey: "photo")
        _ = try await app.save(record)
        var school = try #require(try await database.record(for: Record.ID(type: "School", name: "1")))
        #expect(school["photo"] == ["$cloudkit": "asset"])
        school["name"] = "Hill"
        try await database.commit(RecordBatch(saving: [school]))
        let asset = try await app.record(for: id("1")).object(forKey: "photo") as? CKAsset
        #expect(try asset?.fileURL.map { try Data(contentsOf: $0) } == Data("photo".utf8))
        school = try #require(try await database.record(for: school.id))
        school["photo"] = nil
        school["place"] = nil
        try await database.commit(RecordBatch(saving: [school]))
        #expect(try await app.record(for: id("1")).allKeys().sorted() == ["name", "nr_rest"])
    }

    @Test func conditionsLeaveVersionsAsTheyAre() async throws {
        let database = try await database(cloud)
        let metadata = try await database.commit(RecordBatch(saving: [try school("1"), try school("2")]))
        let first = try await app.record(for: id("1")).recordChangeTag
        let condition = try school("1").saved(as: try #require(metadata[school("1").id]))
        var batch = RecordBatch(saving: [try school("3")])
        batch.conditions = [RecordBatch.VersionedID(condition.id, version: RecordBatch.Version(of: condition))]
        try await database.commit(batch)
        #expect(try await database.record(for: condition.id) == condition)
        #expect(try await app.record(for: id("1")).recordChangeTag != first)
    }

    @Test func nothingIsLeftOfDeletionsAndOfConditionsThatRecordsAreMissing() async throws {
        let database = try await database(cloud)
        let metadata = try await database.commit(RecordBatch(saving: [try school("1")]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        var batch = RecordBatch(saving: [try school("2")])
        batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
        batch.conditions = [RecordBatch.VersionedID(try school("3").id, version: .missing)]
        cloud.resetCounts()
        try await database.commit(batch)
        #expect(cloud.counts == [.records: 1, .modifyRecords: 2])
        let changes = try await app.recordZoneChanges(inZoneWith: zone, since: nil)
        #expect(changes.modificationResultsByID.keys.map(\.recordName).sorted() == ["2:School", "nr_guard"])
    }

    /// A mark stays after a failure; readers do not see it, and another save takes it away.
    @Test func marksOfDeletionsAreHidden() async throws {
        let database = try await database(cloud)
        let metadata = try await database.commit(RecordBatch(saving: [try school("1", ["name": "Hill"])]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        let token = try #require(try await database.feed?.changeToken())
        cloud.fault = { $0.deleting.isEmpty ? nil : .fails(.networkUnavailable) }
        var batch = RecordBatch()
        batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
        try await database.commit(batch)
        cloud.fault = nil
        #expect(try await app.record(for: id("1")).recordID.recordName == "1:School")
        #expect(try await database.record(for: saved.id) == nil)
        #expect(try await database.records(ofType: "School").reduce(0) { count, _ in count + 1 } == 0)
        #expect(try await database.versions(ofType: "School", after: nil, limit: 9).isEmpty)
        #expect(try await database.feed?.changes(since: token, limit: 9).deleted == [saved.id])
        try await database.commit(RecordBatch(saving: [try school("1", ["name": "Lake"])]))
        #expect(try await database.record(for: saved.id)?.fields == ["name": "Lake"])
    }

    /// A removal that is late must not delete a record that was saved again.
    @Test func lateRemovalsDeleteNoSavedRecord() async throws {
        let database = try await database(cloud)
        let metadata = try await database.commit(RecordBatch(saving: [try school("1")]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        let other = try await NestedRecordsCloudKitTests.database(cloud)
        let (stored, guardian) = try await database.stored([saved.id], withGuard: true)
        #expect(stored.count == 1 && guardian == nil)
        cloud.fault = { $0.deleting.isEmpty ? nil : .fails(.networkUnavailable) }
        var batch = RecordBatch()
        batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
        try await database.commit(batch)
        cloud.fault = nil
        try await other.commit(RecordBatch(saving: [try school("1", ["name": "Lake"])]))
        await database.removeTombstones([saved.id], PortSave(ofGuard: guardian))
        #expect(try await database.record(for: saved.id)?.fields == ["name": "Lake"])
    }

    /// A deletion in any version is over one version too, so that neither it nor a removal deletes what is saved later.
    @Test func removalsAfterDeletionsInAnyVersionDeleteNoSavedRecord() async throws {
        let (first, second) = (try await database(cloud), try await database(cloud))
        let metadata = try await first.commit(RecordBatch(saving: [try school("1")]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        let guardian = try await first.stored([saved.id], withGuard: true).guardian
        cloud.fault = { $0.deleting.isEmpty ? nil : .fails(.networkUnavailable) }
        var batch = RecordBatch()
        batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
        try await first.commit(batch)
        cloud.fault = nil
        try await second.commit(RecordBatch(deletingAnyVersionOf: [saved.id]))
        try await second.commit(RecordBatch(saving: [try school("1", ["name": "Lake"])]))
        await first.removeTombstones([saved.id], PortSave(ofGuard: guardian))
        #expect(try await first.record(for: saved.id)?.fields == ["name": "Lake"])
    }

    @Test func lostAnswersOfDeletionsAreFound() async throws {
        let database = try await database(cloud)
        let metadata = try await database.commit(RecordBatch(saving: [try school("1")]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        for version in [RecordBatch.Version(of: saved), .any] {
            let calls = Lock(0)
            cloud.fault = { call in
                guard call.name == .modifyRecords else { return nil }
                return calls.withLock {
                    $0 += 1; return $0 == 1 ? .losesAnswer() : .fails(.networkUnavailable)
                }
            }
            var batch = RecordBatch()
            batch.deletions = [RecordBatch.VersionedID(saved.id, version: version)]
            try await database.commit(batch)
            cloud.fault = nil
            #expect(try await database.record(for: saved.id) == nil)
        }
    }

    @Test func deletionsAndConditionsLeaveRecordsOfOtherTypes() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        options.naming = .plain(targets: [:])
        let database = try await database(cloud, options: options)
        let person = try Record(id: Record.ID(type: "Person", name: "1"), fields: ["a": 1])
        try await database.commit(RecordBatch(saving: [person]))
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try school("1").id]))
        var batch = RecordBatch(saving: [try school("2")])
        batch.conditions = [RecordBatch.VersionedID(try school("1").id, version: .missing)]
        try await database.commit(batch)
        #expect(try await database.record(for: person.id)?.fields == person.fields)
    }

    /// Two records that must be missing have one plain name.
    @Test func conditionsShareAPlainName() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        options.naming = .plain(targets: [:])
        let database = try await database(cloud, options: options)
        let ids = try ["Person", "Room"].map { try Record.ID(type: $0, name: "1") }
        var batch = RecordBatch(saving: [try school("2")])
        batch.conditions = ids.map { RecordBatch.VersionedID($0, version: .missing) }
        try await database.commit(batch)
        // An insertion is the condition of the others.
        batch = RecordBatch(saving: [try school("1")])
        batch.conditions = ids.map { RecordBatch.VersionedID($0, version: .missing) }
        try await database.commit(batch)
        #expect(try await database.records(for: [school("1").id, school("2").id]).count == 2)
    }

    @Test func marksOfOtherTypesLeaveTheirPlainNames() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        options.naming = .plain(targets: [:])
        let database = try await database(cloud, options: options)
        try await database.commit(RecordBatch(saving: [try school("1")]))
        cloud.fault = { $0.deleting.isEmpty ? nil : .fails(.networkUnavailable) }
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try school("1").id]))
        cloud.fault = nil
        let person = try Record(id: Record.ID(type: "Person", name: "1"), fields: ["a": 1])
        try await database.commit(RecordBatch(saving: [person]))
        #expect(try await database.record(for: person.id)?.fields == ["a": 1])
    }

    @Test func thePublicDatabaseDeletesNoRecordOfAnotherType() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        options.naming = .plain(targets: [:])
        let database = CloudKitRecordDatabase(publicDatabaseOf: cloud.container(user: "ann"), options: options)
        try await database.commit(RecordBatch(saving: [try school("1")]))
        for name in ["1", "é"] {
            let id = try Record.ID(type: "Person", name: name)
            try await database.commit(RecordBatch(deletingAnyVersionOf: [id]))
        }
        #expect(try await database.record(for: school("1").id) != nil)
    }

    /// A size that only damage can have.
    @Test(arguments: [Int64.max, 1 << 62, -1])
    func damagedUploadsAreRemoved(_ size: Int64) async throws {
        let database = try await database(cloud)
        let zone = CKRecordZone.ID(zoneName: "NestedRecords-Assets", ownerName: CKCurrentUserDefaultName)
        let name = String(repeating: "0", count: 32)
        let id = CKRecord.ID(recordName: "\(name):NRx_NestedRecords_dAssetChunks", zoneID: zone)
        let record = CKRecord(recordType: "NRx_NestedRecords_dAssetChunks", recordID: id)
        record.setObject(NSNumber(value: size), forKey: "size")
        _ = try await app.save(record)
        let storage = try #require(database.assets)
        #expect(try await storage.collect(before: Date()).uploadCount == 1)
        #expect(try await storage.collect(before: Date()).uploadCount == 0)
    }

    @Test func twoTypesInABatchNeedTwoPlainNames() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        options.naming = .plain(targets: [:])
        let database = try await database(cloud, options: options)
        let person = try Record(id: Record.ID(type: "Person", name: "1"))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("1"), person]))
        }
        #expect(error?.code == .conflict && error?.recordID == person.id)
        let reserved = await #expect(throws: RecordError.self) {
            try await database.commit(RecordBatch(saving: [try school("nr_guard")]))
        }
        #expect(reserved?.code == .invalidID)
    }

    /// A mark has no other fields, so that what an app saves over it is a record.
    @Test func recordsThatAnAppSavesOverMarksAreRead() async throws {
        let database = try await database(cloud)
        let metadata = try await database.commit(RecordBatch(saving: [try school("1", ["name": "Hill", "a": [[1]]])]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        cloud.fault = { $0.deleting.isEmpty ? nil : .fails(.networkUnavailable) }
        var batch = RecordBatch()
        batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
        try await database.commit(batch)
        cloud.fault = nil
        #expect(try await app.record(for: id("1")).allKeys() == ["nr_rest"])
        let record = CKRecord(recordType: "School", recordID: id("1"))
        record.setObject(NSString(string: "Lake"), forKey: "name")
        _ = try await app.modifyRecords(saving: [record], deleting: [], savePolicy: .changedKeys)
        #expect(try await database.record(for: saved.id)?.fields == ["name": "Lake"])
    }

    @Test func listsOfThePublicDatabaseSkipDeletedRecords() async throws {
        let container = cloud.container(user: "ann")
        var options = CloudKitRecordDatabase.Options.quick
        options.types = ["School", "Person"]
        let database = CloudKitRecordDatabase(publicDatabaseOf: container, options: options)
        cloud.queryPageLimit = 1
        for name in ["1", "2", "3"] { try await database.commit(RecordBatch(saving: [try school(name)])) }
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try school("2").id]))
        for _ in 1...2 { try await database.commit(RecordBatch(deletingAnyVersionOf: [try school("9").id])) }
        var found: [String] = []
        for try await record in database.records(ofType: nil) { found.append(record.id.name) }
        #expect(found.sorted() == ["1", "3"])
        #expect(try await database.versions(ofType: "School", after: "1", limit: 9).map(\.id.name) == ["3"])
        let error = await #expect(throws: RecordDatabaseError.self) {
            let other = CloudKitRecordDatabase(publicDatabaseOf: container)
            for try await _ in other.records(ofType: nil) {}
        }
        #expect(error?.code == .invalidOptions && database.feed == nil)
    }

    @Test func lostAnswersOfCommitsAreFound() async throws {
        let database = try await database(cloud)
        let calls = Lock(0)
        cloud.fault = { call in
            guard call.name == .modifyRecords else { return nil }
            return calls.withLock {
                $0 += 1; return $0 == 1 ? .losesAnswer() : nil
            }
        }
        let metadata = try await database.commit(RecordBatch(saving: [try school("1", ["name": "Hill"])]))
        #expect(calls.withLock { $0 } == 1)
        #expect(try await database.record(for: school("1").id)?.metadata == metadata.values.first)
    }

    @Test func lostRequestsAreSentAgain() async throws {
        let database = try await database(cloud)
        let calls = Lock(0)
        cloud.fault = { call in
            guard call.name == .modifyRecords else { return nil }
            return calls.withLock {
                $0 += 1; return $0 < 3 ? .fails(.networkFailure) : nil
            }
        }
        try await database.commit(RecordBatch(saving: [try school("1")], deletingAnyVersionOf: [try school("2").id]))
        #expect(calls.withLock { $0 } == 3)
    }

    @Test func commitsWithoutAnAnswerHaveAnUnknownOutcome() async throws {
        let database = try await database(cloud)
        cloud.fault = { $0.name == .modifyRecords ? .fails(.networkFailure) : nil }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("1")]))
        }
        #expect(error?.code == .unknownOutcome)
        #expect((error?.underlyingError as? RecordDatabaseError)?.code == .connectionLost)
    }

    @Test(arguments: [
        (CKError.Code.networkUnavailable, RecordDatabaseError.Code.notConnected), (.notAuthenticated, .notSignedIn),
        (.permissionFailure, .notPermitted), (.quotaExceeded, .quotaExceeded), (.limitExceeded, .batchTooLarge),
        (.requestRateLimited, .tooManyRequests), (.zoneBusy, .busy), (.serviceUnavailable, .busy),
        (.zoneNotFound, .notPrepared), (.userDeletedZone, .notPrepared), (.badContainer, .refused),
        (.internalError, .unknownOutcome), (.operationCancelled, .unknownOutcome),
        (.serverResponseLost, .unknownOutcome), (.invalidArguments, .refused),
    ])
    func errorsHaveTheirMeaning(_ code: CKError.Code, _ expected: RecordDatabaseError.Code) async throws {
        let database = try await database(cloud)
        cloud.fault = { $0.name == .modifyRecords ? .fails(code, retryAfter: 3) : nil }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("1")]))
        }
        #expect(error?.code == expected)
        let waits = [.tooManyRequests, .busy].contains(expected)
        #expect(error?.retryAfter == (waits ? .seconds(3) : nil))
    }

    @Test func zonesAreMadeOnce() async throws {
        let database = try CloudKitRecordDatabase(cloud.container(user: "ann"))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("1")]))
        }
        #expect(error?.code == .notPrepared && error?.hint == "call prepare()")
        for _ in 1...2 { try await database.prepare() }
        try await database.commit(RecordBatch(saving: [try school("1")]))
    }

    @Test(arguments: ["", "_a", "é", String(repeating: "a", count: 256)])
    func namesThatZonesCannotHaveAreErrors(_ zone: String) {
        var options = CloudKitRecordDatabase.Options()
        options.zone = zone
        let error = #expect(throws: RecordDatabaseError.self) {
            try CloudKitRecordDatabase(cloud.container(user: "ann"), options: options)
        }
        #expect(error?.code == .invalidOptions)
    }

    @Test func withoutAnAccountNothingIsPrepared() async throws {
        let container = cloud.container(user: "ann")
        let database = try CloudKitRecordDatabase(container)
        cloud.signOut("ann")
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.prepare() }
        #expect(error?.code == .notSignedIn && error?.reason == "the device has no iCloud account")
    }

    @Test func namesOfOtherTypesAreTakenWithPlainNaming() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        options.naming = .plain(targets: [:])
        let database = try await database(cloud, options: options)
        try await database.commit(RecordBatch(saving: [try school("1")]))
        let other = try Record(id: Record.ID(type: "Person", name: "1"))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [other]))
        }
        #expect(error?.code == .conflict && error?.reason == "it is that of a record of the type 'School'")
        #expect(try await database.record(for: other.id) == nil)
    }

    @Test func ownersOwnInCloudKitWithTheOption() async throws {
        var options = CloudKitRecordDatabase.Options.quick
        for cascades in [false, true] {
            options.cascades = cascades
            options.zone = "\(cascades)"
            let database = try await database(cloud, options: options)
            let owned = try Record(
                id: Record.ID(type: "Room", name: "1"),
                fields: ["school": .reference(Record.Reference(to: school("1").id, action: .deleteSelf))])
            try await database.commit(RecordBatch(saving: [owned, try school("1")]))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [try school("1").id]))
            #expect(
                try await database.record(for: owned.id)
                    == (cascades
                        ? nil
                        : owned.saved(
                            as: #require(
                                try await database.record(for: owned.id)?.metadata))))
        }
    }

    @Test func unknownFieldsAreRefusedInProduction() async throws {
        let database = try await database(cloud)
        try await database.commit(RecordBatch(saving: [try school("1", ["name": "Hill"])]))
        cloud.isProduction = true
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("2", ["title": "Hill"])]))
        }
        #expect(error?.code == .refused)
        try await database.commit(RecordBatch(saving: [try school("2", ["name": "Hill", "two words": 1])]))
    }

    @Test func largeRecordsAreRefusedBeforeTheyAreSent() async throws {
        let database = try await database(cloud)
        let record = try school("1", ["name": "a", "text": .string(String(repeating: "a", count: 1_000_001))])
        cloud.resetCounts()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [record]))
        }
        #expect(error?.code == .recordTooLarge && error?.context.field == "text" && cloud.counts.isEmpty)
    }
}
#endif
