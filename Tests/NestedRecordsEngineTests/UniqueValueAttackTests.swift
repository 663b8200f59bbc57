import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

private struct Account: RecordCodable, Identifiable {
    var id: String
    var address: String?
    static let recordType = "AttackedAccount"
    static let schema = RecordSchema(unique: ["address"])
}

private struct Key: RecordCodable, Identifiable {
    var id: String
    var token: Data
    static let recordType = "AttackedKey"
    static let schema = RecordSchema(unique: ["token"])
}

/// Unique values beside those who forge values, and beside the check that mends claims.
@Suite struct UniqueValueAttackTests {
    private func token(_ first: UInt64, _ second: UInt64) -> Data {
        func bytes(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        let padding = [UInt8](repeating: 0, count: 24)
        return Data([UInt8](repeating: 0, count: 256) + bytes(first) + padding + bytes(second) + padding)
    }

    @Test func valuesWithOneSortKeyAreTwoValues() async throws {
        // The words are chosen so that XXH64 has the same state after them.
        let (own, forged) = (token(1, 0), token(2, 0x1C7E_AABC_61BD_4729))
        #expect(own != forged)
        #expect(SortKey(.bytes(own)) == SortKey(.bytes(forged)))
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(Key(id: "mallory", token: forged))
            try await store.insert(Key(id: "ann", token: own))
            for (id, token) in [("ann", own), ("mallory", forged)] {
                let found = try await store.query(Key.self).filter { $0.token == token }.all()
                #expect(found.map(\.value.id) == [id], "\(engine)")
            }
            #expect(try await store.database.uniqueValueProblems().isEmpty)
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await store.insert(Key(id: "bo", token: own))
            }
            #expect(error?.code == .valueTaken)
            // Giving up one value does not give up the other.
            try await store.delete(Key.self, named: "mallory")
            #expect(try await store.database.uniqueValueProblems(mending: true).map(\.kind) == [.unused])
            await #expect(throws: RecordDatabaseError.self) { try await store.insert(Key(id: "bo", token: own)) }
        }
    }

    @Test func aClaimThatItsOwnerTakesBackIsNotDeleted() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(Account(id: "ann", address: "a@x"))
            try await store.update(Account.self, named: "ann") { $0.address = nil }
            let disturbed = DisturbedDatabase(base: store.database) {
                try await store.update(Account.self, named: "ann") { $0.address = "a@x" }
            }
            #expect(try await disturbed.uniqueValueProblems(mending: true).isEmpty, "\(engine)")
            await #expect(throws: RecordDatabaseError.self, "\(engine)") {
                try await store.insert(Account(id: "bo", address: "a@x"))
            }
            #expect(try await store.database.uniqueValueProblems().isEmpty)
        }
    }

    /// The same with a record that has the value without a claim, as an import stores it.
    @Test func aClaimThatItsOwnerTakesBackIsNotReplaced() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(Account(id: "ann", address: "a@x"))
            try await store.update(Account.self, named: "ann") { $0.address = nil }
            let imported = try RecordEncoder().encode(Account(id: "bo", address: "a@x"))
            try await store.database.save(imported)
            let disturbed = DisturbedDatabase(base: store.database) {
                try await store.update(Account.self, named: "ann") { $0.address = "a@x" }
            }
            #expect(try await disturbed.uniqueValueProblems(mending: true).isEmpty, "\(engine)")
            // The claim is still Ann's.
            #expect(try await store.database.uniqueValueProblems().map(\.kind) == [.duplicate])
            try await store.delete(Account.self, named: "bo")
            #expect(try await store.database.uniqueValueProblems().isEmpty)
        }
    }

    @Test func mendingBesideWritersLeavesEachValueWithOneRecord() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            let counts = Locked((writers: 8, repairs: 0, looks: 0, wrong: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        defer { counts.withLock { $0.writers -= 1 } }
                        var saves = 0
                        while saves < 50 || counts.withLock({ $0.repairs < 10 || $0.looks < 50 }) {
                            let account = Account(id: "\(number)", address: "\(Int.random(in: 0..<2))@x")
                            saves += 1
                            await Task.yield()
                            try Task.checkCancellation()
                            do {
                                try await store.insert(account)
                                try await store.delete(Account.self, named: account.id)
                            } catch RecordDatabaseError.Code.valueTaken {
                            } catch RecordDatabaseError.Code.conflict {}
                        }
                    }
                }
                group.addTask {
                    while counts.withLock({ $0.writers > 0 }) {
                        try await store.database.uniqueValueProblems(mending: true)
                        counts.withLock { $0.repairs += 1 }
                        // Calls of the database in memory do not suspend.
                        await Task.yield()
                    }
                }
                group.addTask {
                    while counts.withLock({ $0.writers > 0 }) {
                        let records = try await store.database.page(RecordQuery("AttackedAccount")).records
                        let isWrong = Set(records.map { $0["address"] }).count != records.count
                        counts.withLock { ($0.looks, $0.wrong) = ($0.looks + 1, $0.wrong + (isWrong ? 1 : 0)) }
                        await Task.yield()
                    }
                }
                for try await _ in group {}
            }
            let (wrong, looks) = counts.withLock { ($0.wrong, $0.looks) }
            #expect(wrong == 0, "\(engine): two records have one value in \(wrong) of \(looks)")
            try await store.database.uniqueValueProblems(mending: true)
            #expect(try await store.database.uniqueValueProblems().isEmpty, "\(engine)")
        }
    }

    @Test func aScopeClaimsTheValuesOfABatchWithoutClaims() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(Account(id: "ann", address: "a@x"))
            let scope = try ScopedRecordDatabase(store.database) {
                $0.rule(Account.self) { $0.recordName != "ann" }
            }
            let taken = try RecordEncoder().encode(Account(id: "bo", address: "a@x"))
            let error = await #expect(throws: RecordDatabaseError.self, "\(engine)") {
                try await scope.commit(RecordBatch(saving: Array(taken)))
            }
            #expect(error?.code == .valueTaken)
            let free = try RecordEncoder().encode(Account(id: "bo", address: "b@x"))
            #expect(try await scope.commit(RecordBatch(saving: Array(free))).count == 1)
            await #expect(throws: RecordDatabaseError.self) {
                try await store.insert(Account(id: "cy", address: "b@x"))
            }
            #expect(try await store.database.uniqueValueProblems().isEmpty)
        }
    }
}

/// A database beside which another writer does something just before the first commit.
private struct DisturbedDatabase: ForwardingRecordDatabase {
    let base: any RecordDatabase
    let disturbance = Once()
    let disturb: @Sendable () async throws -> Void

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        if await disturbance.begin() { try await disturb() }
        return try await base.commit(batch)
    }

    actor Once {
        private var isDone = false

        func begin() -> Bool {
            defer { isDone = true }
            return !isDone
        }
    }
}
