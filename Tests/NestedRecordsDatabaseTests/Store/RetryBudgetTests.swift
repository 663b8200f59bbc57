import TestSupport
import Testing

@testable import NestedRecords

/// Calls that try again share the attempts of the outermost one.
@Suite struct RetryBudgetTests {
    private struct User: RecordCodable, Identifiable {
        var id: String
        var owner = "ann"
        var address: String
        var friend: RecordLink<User>?
        static let recordType = "BudgetUser"
        static let schema = RecordSchema(unique: ["address"])
    }

    /// A database in which another writer is always faster, as soon as `isContested`.
    private struct Contested {
        let base = InMemoryRecordDatabase()
        let isContested = Locked(false)
        let commitCount = Locked(0)

        var database: BrokenDatabase {
            BrokenDatabase(
                base: base,
                modify: { [isContested, commitCount] base, call in
                    guard isContested.withLock({ $0 }) else { return try await call.perform(in: base) }
                    commitCount.withLock { $0 += 1 }
                    let id = try call.saves.first?.id ?? call.deletes.first ?? Record.ID("BudgetUser/a")
                    let server = try await base.record(for: id)
                    throw RecordDatabaseError(.versionMismatch, .versions(server: server, expected: .any), recordID: id)
                })
        }

        var count: Int { commitCount.withLock { $0 } }

        func store(isScoped: Bool, retries: RetryPolicy? = nil) async throws -> RecordStore {
            var coding = RecordCoding()
            coding.requiresLinkTargets = true
            let store = RecordStore(database, coding: coding, retries: retries)
            try await store.insert([User(id: "a", address: "a"), User(id: "b", address: "b")])
            isContested.withLock { $0 = true }
            return isScoped ? try store.scoped { $0.rule(User.self) { $0.owner == "ann" } } : store
        }
    }

    @Test(arguments: [false, true]) func transactionBoundsTheAttemptsOfItsCommit(isScoped: Bool) async throws {
        let contested = Contested()
        let store = try await contested.store(isScoped: isScoped)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.transaction(maximumAttempts: 4) { store in
                try await store.update(User.self, named: "a") { $0.address = "new" }
            }
        }
        #expect(error?.isOvertaken == true && error?.description.contains("attempt") == true)
        #expect((1...4).contains(contested.count))
    }

    @Test(arguments: [false, true]) func deletionHasTheAttemptsOfTheStore(isScoped: Bool) async throws {
        let contested = Contested()
        let store = try await contested.store(isScoped: isScoped, retries: RetryPolicy(attempts: 3))
        await #expect(throws: RecordDatabaseError.self) { try await store.delete(User.self, named: "a") }
        #expect(contested.count == 3)
    }

    @Test(arguments: [false, true]) func updateBoundsTheAttemptsOfItsSave(isScoped: Bool) async throws {
        let contested = Contested()
        let store = try await contested.store(isScoped: isScoped)
        await #expect(throws: RecordDatabaseError.self) {
            try await store.update(User.self, from: Record.ID("BudgetUser/a"), maximumAttempts: 4) {
                $0.address = "new"
                $0.friend = try RecordLink(named: "b")
            }
        }
        #expect((1...4).contains(contested.count))
    }

    /// Each call with its own limit, in a scope with another one.
    @Test(arguments: 0..<7) func callTakesItsAttemptsFromTheCallAroundIt(_ number: Int) async throws {
        let contested = Contested()
        let store = try await contested.store(isScoped: true)
        let stored = try await store.fetch(User.self, named: "a")
        func call() async throws {
            switch number {
            case 0: try await store.delete(User.self, named: "a", .dangling)
            case 1: try await store.delete(stored, .dangling)
            case 2: try await store.overwrite(User(id: "a", address: "new"))
            case 3: try await store.insert(User(id: "c", address: "c", friend: RecordLink(named: "b")))
            case 4: try await store.change(User.self, named: "a") { $0.address.set("new") }
            case 5:
                var changed = stored
                changed.address = "new"
                try await store.save(&changed, merging: { try $0.merged() })
            default: try await store.database.commit(RecordBatch(deletingAnyVersionOf: [stored.recordID]))
            }
        }
        await #expect(throws: RecordDatabaseError.self) {
            try await RetryBudget.shared(RetryPolicy(attempts: 4)) { try await call() }
        }
        #expect((1...4).contains(contested.count), "\(contested.count)")
    }

    @Test func taskThatOutlivesTheCallHasItsOwnAttempts() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.insert(User(id: "a", address: "a"))
        let end = Gate()
        let task = await RetryBudget.shared(RetryPolicy(attempts: 1)) {
            Task {
                await end.wait()
                let attempts = Locked(0)
                try await database.values.transaction { store in
                    try await store.update(User.self, named: "a") { $0.owner += "+" }
                    let attempt = attempts.withLock { count in
                        count += 1
                        return count
                    }
                    if attempt == 1 { try await database.values.update(User.self, named: "a") { $0.owner = "bo" } }
                }
            }
        }
        end.open()
        try await task.value
        #expect(try await database.values.fetch(User.self, named: "a").owner == "bo+")
    }
}
