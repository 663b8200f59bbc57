import Foundation
import NestedRecords
import TestSupport
import Testing

private struct Account: RecordCodable, Identifiable, Equatable {
    var id: String
    var address: String?
    var visits = 0
    static let recordType = "UniqueAccount"
    static let schema = RecordSchema(unique: ["address"])
}

private struct Team: RecordCodable, Identifiable {
    var id: Int
    var members: [Account]
    static let recordType = "UniqueTeam"
}

/// Unique properties on all databases.
@Suite struct UniqueValueTests {
    private func expectTaken(
        _ id: String, _ engine: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: RecordDatabaseError.self, "\(engine)", sourceLocation: sourceLocation) {
            try await body()
        }
        #expect(error?.code == .valueTaken, "\(engine): \(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.kind == .alreadyExists, sourceLocation: sourceLocation)
        #expect(error?.context.field == "address", sourceLocation: sourceLocation)
        #expect(error?.recordID?.name == id, sourceLocation: sourceLocation)
    }

    @Test func aValueBelongsToOneRecord() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(Account(id: "ann", address: "a@x"))
            await expectTaken("bo", engine) { () async throws -> Void in
                try await store.insert(Account(id: "bo", address: "a@x"))
            }
            #expect(try await store.fetchIfPresent(Account.self, named: "bo") == nil)
            try await store.insert([Account(id: "bo", address: "b@x"), Account(id: "cy"), Account(id: "di")])
            await expectTaken("bo", engine) { () async throws -> Void in
                try await store.update(Account.self, named: "bo") { $0.address = "a@x" }
            }
            await expectTaken("bo", engine) { () async throws -> Void in
                try await store.change(Account.self, named: "bo") { $0.address.set("a@x") }
            }
            await expectTaken("cy", engine) { () async throws -> Void in
                try await store.overwrite(Account(id: "cy", address: "a@x"))
            }
            await expectTaken("bo", engine) { () async throws -> Void in
                try await store.transaction {
                    var bo = try await $0.fetch(Account.self, named: "bo")
                    bo.address = "a@x"
                    try await $0.save(&bo)
                }
            }
            await expectTaken("ed", engine) { () async throws -> Void in
                try await store.insert(Team(id: 1, members: [Account(id: "ed", address: "b@x")]))
            }
            #expect(try await store.fetch(Account.self, named: "bo").value == Account(id: "bo", address: "b@x"))
        }
    }

    @Test func twoRecordsOfOneSaveCannotHaveOneValue() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            await expectTaken("bo", engine) { () async throws -> Void in
                try await store.insert([Account(id: "ann", address: "a@x"), Account(id: "bo", address: "a@x")])
            }
            #expect(try await store.query(Account.self).count() == 0)
        }
    }

    @Test func aValueThatIsGivenUpIsFree() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(Account(id: "ann", address: "a@x"))
            try await store.update(Account.self, named: "ann") { $0.address = "other@x" }
            try await store.insert(Account(id: "bo", address: "a@x"))
            await expectTaken("ann", engine) { () async throws -> Void in
                try await store.update(Account.self, named: "ann") { $0.address = "a@x" }
            }
            try await store.delete(Account.self, named: "bo")
            try await store.overwrite(Account(id: "cy", address: "a@x"))
            try await store.change(Account.self, named: "cy") { $0.address.set(nil) }
            try await store.update(Account.self, named: "ann") { $0.address = "a@x" }
            // Nothing changes, and every form of a save accepts the record's own value.
            try await store.update(Account.self, named: "ann") { $0.visits += 1 }
            try await store.overwrite(Account(id: "ann", address: "a@x"))
            try await store.insert(Team(id: 1, members: [Account(id: "ann", address: "a@x")]))
            #expect(try await store.database.uniqueValueProblems().map(\.kind) == [.unused])
            try await store.database.uniqueValueProblems(mending: true)
            #expect(try await store.database.uniqueValueProblems().isEmpty)
            await expectTaken("bo", engine) { () async throws -> Void in
                try await store.insert(Account(id: "bo", address: "a@x"))
            }
        }
    }

    @Test func recordsCanExchangeTheirValues() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            try await store.insert(
                Team(id: 1, members: [Account(id: "a", address: "1"), Account(id: "b", address: "2")]))
            try await store.update(Team.self, named: 1) {
                ($0.members[0].address, $0.members[1].address) = ($0.members[1].address, $0.members[0].address)
            }
            let team = try await store.fetch(Team.self, named: 1)
            #expect(team.members.map(\.address) == ["2", "1"], "\(engine)")
            #expect(try await store.database.uniqueValueProblems().isEmpty)
            await expectTaken("c", engine) { () async throws -> Void in
                try await store.insert(Account(id: "c", address: "2"))
            }
        }
    }

    @Test func oneOfManyInsertsSucceeds() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            for round in 0..<10 {
                let inserted = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let account = Account(id: "\(round)-\(number)", address: "\(round)@x")
                            return (try? await store.insert(account)) != nil
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(inserted == 1, "\(engine)")
            }
            #expect(try await store.query(Account.self).count() == 10)
            #expect(try await store.database.uniqueValueProblems().isEmpty)
        }
    }

    @Test func manyRecordsAreSavedWithTheirClaims() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            let limited = RecordStore(LimitedDatabase(base: store.database))
            let accounts = (0..<40).map { Account(id: "\($0)", address: "\($0)@x") }
            try await limited.insert(accounts)
            #expect(try await store.query(Account.self).count() == 40)
            #expect(try await store.database.uniqueValueProblems().isEmpty)
            await expectTaken("new", engine) { () async throws -> Void in
                try await limited.insert(Account(id: "new", address: "7@x"))
            }
        }
    }

    @Test func aScopeKeepsValuesUniqueAndTheOwnerHidden() async throws {
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            let anns = try store.scoped { $0.rule(Account.self) { $0.recordName == "ann" } }
            let bos = try store.scoped { $0.rule(Account.self) { $0.recordName == "bo" } }
            try await anns.insert(Account(id: "ann", address: "a@x"))
            await expectTaken("bo", engine) { () async throws -> Void in
                try await bos.insert(Account(id: "bo", address: "a@x"))
            }
            await expectTaken("bo", engine) { () async throws -> Void in
                try await bos.transaction { _ = try await $0.insert(Account(id: "bo", address: "a@x")) }
            }
            try await anns.update(Account.self, named: "ann") { $0.address = "other@x" }
            try await bos.transaction { _ = try await $0.insert(Account(id: "bo", address: "a@x")) }
            await expectTaken("ann", engine) { () async throws -> Void in
                try await anns.update(Account.self, named: "ann") { $0.address = "a@x" }
            }
            try await bos.overwrite(Account(id: "bo", address: "a@x", visits: 1))
            var claims: [Record] = []
            for try await claim in store.database.records(ofType: "NestedRecords.UniqueValue") { claims.append(claim) }
            #expect(claims.count == 2)
            #expect(try await bos.database.records(for: claims.map(\.id)).isEmpty)
            await #expect(throws: RecordError.self) { try await bos.database.commit(RecordBatch(saving: claims)) }
            #expect(try await store.database.uniqueValueProblems().isEmpty)
        }
    }

    @Test func recordsFromBeforeTheDeclarationAreClaimedByAMigration() async throws {
        struct Old: RecordCodable, Identifiable {
            var id: String
            var address: String?
            var visits = 0
            static let recordType = "UniqueAccount"
        }
        try await Engine.forEachStore { (store: RecordStore, engine: String) async throws -> Void in
            let graph = try RecordEncoder().encode((0..<300).map { Old(id: "\($0)", address: "\(max($0, 1))@x") })
            try await store.database.save(graph)
            let report = try await store.migrate(Account.self)
            #expect(report.duplicates.map(\.records.count) == [2], "\(engine)")
            #expect(report.duplicates.first?.records.map(\.name) == ["0", "1"])
            await expectTaken("new", engine) { () async throws -> Void in
                try await store.insert(Account(id: "new", address: "200@x"))
            }
            await expectTaken("new", engine) { () async throws -> Void in
                try await store.insert(Account(id: "new", address: "1@x"))
            }
            try await store.delete(Account.self, named: "0")
            try await store.database.uniqueValueProblems(mending: true)
            #expect(try await store.database.uniqueValueProblems().isEmpty)
            await expectTaken("new", engine) { () async throws -> Void in
                try await store.insert(Account(id: "new", address: "1@x"))
            }
        }
    }

    @Test(.enabled(if: ChildProcess.isThere, "the program DatabaseProcess is not beside the tests"))
    func processesThatAreKilledLeaveNoValueWithTwoOwners() async throws {
        let folder = try TemporaryFolder()
        for engine in try await Engine.all(in: folder, indexes: [], now: { Date() }) {
            guard let arguments = engine.processArguments else { continue }
            var stepCount = 0
            for round in 0..<12 {
                let processes = try (0..<2).map { try ChildProcess(["claimer", "p\(round)-\($0)"] + arguments) }
                for process in processes {
                    try await waitUntil("no step in \(engine.name): \(process.lines.suffix(1))") {
                        process.lines.count >= 20
                    }
                }
                for process in processes { process.kill() }
                stepCount += processes.map(\.lines.count).reduce(0, +)
                #expect(!processes.contains { $0.lines.contains { $0.hasPrefix("wrong") } })
                let kinds = try await engine.database.uniqueValueProblems().map(\.kind)
                #expect(kinds.allSatisfy { $0 == .unused }, "\(engine.name): \(kinds)")
            }
            let problems = try await engine.database.uniqueValueProblems(mending: true)
            #expect(problems.allSatisfy { $0.kind == .unused }, "\(problems)")
            #expect(try await engine.database.uniqueValueProblems().isEmpty)
            print("unique values in \(engine.name): 24 processes killed after \(stepCount) steps")
            try await engine.end()
        }
    }
}

/// A database that takes few records at a time.
private struct LimitedDatabase: ForwardingRecordDatabase {
    let base: any RecordDatabase
    var limits: RecordDatabaseLimits { RecordDatabaseLimits(batchCount: 10) }
}
