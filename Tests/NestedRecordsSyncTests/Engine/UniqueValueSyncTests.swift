import NestedRecords
import Testing

@testable import NestedRecordsSync

private struct Account: RecordCodable, Identifiable {
    @RecordName var id: String
    var address: String?
    var text = ""
    static let schema = RecordSchema(unique: ["address"])
}

@Suite struct UniqueValueSyncTests {
    let local = InMemoryRecordDatabase()
    let remote = InMemoryRecordDatabase()
    let device: RecordStore
    let server: RecordStore

    init() { (device, server) = (RecordStore(local), RecordStore(remote)) }

    private func makeSync(pageSize: Int = 1_000) throws -> RecordSync {
        var options = SyncOptions()
        options.pageSize = pageSize
        try options.keepUnique(Account.self)
        return try RecordSync(local, with: remote, named: "cloud", options: options)
    }

    private func accounts(_ store: RecordStore) async throws -> [String: String?] {
        let found = try await store.query(Account.self).page().map { ($0.value.id, $0.value.address) }
        return Dictionary(uniqueKeysWithValues: found)
    }

    private func expectNoProblems(of databases: InMemoryRecordDatabase...) async throws {
        for database in databases {
            let problems = try await database.uniqueValueProblems().filter { $0.kind != .unused }
            #expect(problems.isEmpty)
        }
    }

    @Test func eachSideHasTheClaimsOfAllRecords() async throws {
        try await device.insert(Account(id: "ann", address: "a"))
        try await server.insert(Account(id: "bo", address: "b"))
        try await makeSync().synchronize()
        #expect(try await accounts(device) == ["ann": "a", "bo": "b"])
        try await expectNoProblems(of: local, remote)
        for store in [device, server] {
            for address in ["a", "b"] {
                let error = await #expect(throws: RecordDatabaseError.self) {
                    try await store.insert(Account(id: "cy", address: address))
                }
                #expect(error?.code == .valueTaken)
            }
        }
        #expect(try await makeSync().synchronize().hasWritten == false)
    }

    @Test func remoteOwnerKeepsItsValue() async throws {
        let sync = try makeSync()
        try await sync.synchronize()
        try await device.insert(Account(id: "ann", address: "a"))
        try await device.insert(Account(id: "cy", address: "c"))
        try await server.insert(Account(id: "bo", address: "a"))
        let outcome = try await sync.synchronize()
        #expect((outcome.rejectedCount, outcome.pushedCount, outcome.isComplete) == (1, 1, true))
        let change = try #require(try await sync.rejected().first)
        #expect(change.recordID.name == "ann")
        #expect(change.reason.contains("is unique, and another record has it"))
        // The record stays as it is, without its claim.
        #expect(try await accounts(device) == ["ann": "a", "bo": "a", "cy": "c"])
        #expect(try await accounts(server) == ["bo": "a", "cy": "c"])
        let claim = UniqueClaim(try #require(try await local.claims().first { $0["value"] == "a" }))
        #expect(claim?.owner.name == "bo")
        // Another value is sent, and claimed.
        try await device.update(Account.self, named: "ann") { $0.address = "z" }
        try await sync.synchronize()
        #expect(try await sync.rejected().isEmpty)
        #expect(try await accounts(server) == ["ann": "z", "bo": "a", "cy": "c"])
        try await expectNoProblems(of: local, remote)
    }

    @Test func refusedValueIsAcceptedOnceItIsFree() async throws {
        let sync = try makeSync()
        try await device.insert(Account(id: "ann", address: "a"))
        try await server.insert(Account(id: "bo", address: "a"))
        try await sync.synchronize()
        try await server.update(Account.self, named: "bo") { $0.address = "b" }
        try await sync.retry(try #require(try await sync.rejected().first))
        try await sync.synchronize()
        #expect(try await sync.rejected().isEmpty)
        #expect(try await accounts(server) == ["ann": "a", "bo": "b"])
        try await expectNoProblems(of: local, remote)
    }

    @Test(arguments: [1, 2, 1_000])
    func recordsExchangeTheirValues(_ pageSize: Int) async throws {
        let sync = try makeSync(pageSize: pageSize)
        try await device.insert([Account(id: "ann", address: "a"), Account(id: "bo", address: "b")])
        try await sync.synchronize()
        for store in [device, server] {
            var both = try await [
                store.fetch(Account.self, named: "ann").value, store.fetch(Account.self, named: "bo").value,
            ]
            (both[0].address, both[1].address) = (both[1].address, both[0].address)
            try await store.overwrite(both)
            let expected = try await accounts(store)
            for _ in 0..<2 { try await sync.synchronize() }
            if pageSize > 1 || store.database as AnyObject === remote {
                #expect(try await accounts(device) == expected)
                #expect(try await accounts(server) == expected)
                #expect(try await sync.rejected().isEmpty)
                try await expectNoProblems(of: local, remote)
            } else {
                // One batch takes one record: neither can be first.
                #expect(try await sync.rejected().count == 2)
                for change in try await sync.rejected() { try await sync.discard(change) }
            }
        }
    }

    @Test(arguments: [2, 1_000])
    func valueOfADeletedRecordIsTakenInTheSameBatch(_ pageSize: Int) async throws {
        let sync = try makeSync(pageSize: pageSize)
        try await device.insert([Account(id: "x", address: "a"), Account(id: "y", address: "b")])
        try await sync.synchronize()
        try await device.delete(Account.self, named: "x")
        try await device.delete(Account.self, named: "y")
        try await device.insert([
            Account(id: "a", address: "1"), Account(id: "b", address: "b"), Account(id: "c", address: "a"),
        ])
        // The insert is pushed before the deletion.
        try await sync.synchronize()
        #expect(try await accounts(server) == ["a": "1", "b": "b", "c": "a"])
        #expect(try await sync.rejected().isEmpty)
        try await expectNoProblems(of: local, remote)
    }

    @Test func exchangeThatDoesNotFitIntoABatchIsRefused() async throws {
        let long = String(repeating: "x", count: 400)
        try await device.insert([
            Account(id: "ann", address: "a", text: long), Account(id: "bo", address: "b", text: long),
        ])
        var limits = RecordDatabaseLimits()
        limits.batchBytes = 1_000
        var options = SyncOptions()
        try options.keepUnique(Account.self)
        let small = HookedDatabase(remote, limits: limits)
        let sync = try RecordSync(local, with: small, named: "cloud", options: options)
        try await sync.synchronize()
        try await device.overwrite([
            Account(id: "ann", address: "b", text: long), Account(id: "bo", address: "a", text: long),
        ])
        #expect(try await sync.synchronize().rejectedCount == 2)
        #expect(try await accounts(server) == ["ann": "a", "bo": "b"])
    }

    @Test func twoLocalRecordsWithOneValueAreNotBothSent() async throws {
        for name in ["ann", "bo"] { try await local.put(name, ["address": "a"], type: "Account") }
        let sync = try makeSync()
        #expect(try await sync.synchronize().rejectedCount == 1)
        #expect(try await remote.contents().count == 1)
        try await expectNoProblems(of: remote)
    }

    @Test func mergedRecordKeepsTheClaimOfItsLocalValue() async throws {
        let sync = try makeSync()
        try await device.insert(Account(id: "ann", address: "a"))
        try await sync.synchronize()
        try await device.update(Account.self, named: "ann") { $0.address = "b" }
        try await server.update(Account.self, named: "ann") { $0.text = "new" }
        try await sync.synchronize()
        #expect(try await accounts(server) == ["ann": "b"])
        #expect(try await server.fetch(Account.self, named: "ann").value.text == "new")
        try await expectNoProblems(of: local, remote)
    }

    @Test func resolutionWithAValueOfAnotherRecordIsRefused() async throws {
        let sync = try makeSync()
        try await device.insert([Account(id: "ann", address: "a"), Account(id: "bo", address: "b")])
        try await sync.synchronize()
        try await device.update(Account.self, named: "ann") { $0.address = "x" }
        try await server.update(Account.self, named: "ann") { $0.address = "y" }
        try await sync.synchronize()
        let conflict = try #require(try await sync.conflicts().first)
        var record = try #require(try await local.record(for: conflict.recordID))
        record["address"] = "b"
        let error = await #expect(throws: RecordDatabaseError.self) { try await sync.resolve(conflict, with: record) }
        #expect(error?.code == .valueTaken)
        record["address"] = "x"
        try await sync.resolve(conflict, with: record)
        try await sync.synchronize()
        #expect(try await accounts(server) == ["ann": "x", "bo": "b"])
        try await expectNoProblems(of: local, remote)
    }

    @Test func valueThatCannotBeUniqueStopsNothing() async throws {
        try await remote.put("ann", ["address": ["a", "b"]], type: "Account")
        try await remote.put("bo", ["address": "b"], type: "Account")
        try await makeSync().synchronize()
        #expect(try await local.contents().count == 2)
    }

    @Test func smallBatchesHaveRoomForClaims() async throws {
        var options = SyncOptions()
        try options.keepUnique(Account.self)
        let (local, remote) = (InMemoryRecordDatabase(batchLimit: 7), InMemoryRecordDatabase(batchLimit: 4))
        for number in 0..<10 {
            try await RecordStore(local).insert(Account(id: "l\(number)", address: "l\(number)"))
            try await RecordStore(remote).insert(Account(id: "r\(number)", address: "r\(number)"))
        }
        let sync = try RecordSync(local, with: remote, named: "cloud", options: options)
        #expect(try await sync.synchronize().isComplete)
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 20)
        try await expectNoProblems(of: local, remote)
        let small = InMemoryRecordDatabase(batchLimit: 6)
        #expect(throws: RecordDatabaseError.self) {
            try RecordSync(small, with: remote, named: "cloud", options: options)
        }
    }
}

extension RecordDatabase {
    fileprivate func claims() async throws -> [Record] {
        var claims: [Record] = []
        for try await record in records(ofType: UniqueClaim.recordType) { claims.append(record) }
        return claims
    }
}
