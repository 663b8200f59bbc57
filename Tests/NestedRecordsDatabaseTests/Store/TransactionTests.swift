import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct TransactionTests {
    private struct Account: RecordCodable, Identifiable, Equatable {
        var id: Int
        var balance: Int
        static let recordType = "TransactionAccount"
    }

    private struct Person: RecordCodable, Identifiable {
        var id: String
        var name: String
        static let recordType = "TransactionPerson"
    }

    private struct Summary: RecordCodable, Identifiable {
        var id: String
        var person: Person
        var text: String
        static let recordType = "TransactionSummary"
    }

    private func makeBank(_ count: Int, _ balance: Int = 100) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite((0..<count).map { Account(id: $0, balance: balance) })
        return database
    }

    private func balances(_ database: some RecordDatabase) async throws -> [Int] {
        try await database.values.query(Account.self).all().sorted { $0.id < $1.id }.map(\.balance)
    }

    /// Counts the calls of a closure.
    private final class Counter: Sendable {
        private let count = Locked(0)

        var last: Int { count.withLock { $0 } }

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    // MARK: Queries

    private actor Teller {
        let bank: InMemoryRecordDatabase

        init(_ bank: InMemoryRecordDatabase) { self.bank = bank }

        func first() async throws -> Int? {
            try await bank.transaction { try await $0.values.query(Account.self).first()?.id }
        }
    }

    private func first(in bank: InMemoryRecordDatabase) async throws -> Int? {
        try await bank.transaction { try await $0.values.query(Account.self).first()?.id }
    }

    private func first(inAny bank: some RecordDatabase) async throws -> Int? {
        try await bank.transaction { try await $0.values.query(Account.self).first()?.id }
    }

    /// What the optimizer makes of a listing depends on its caller: in a method, a generic one, an actor and a task.
    @Test func queriesInATransactionFindWhatIsStoredWhateverCallsThem() async throws {
        let bank = try await makeBank(5)
        let teller = Teller(bank)
        for _ in 0..<20 {
            #expect(try await first(in: bank) == 0)
            #expect(try await first(inAny: bank) == 0)
            #expect(try await teller.first() == 0)
            #expect(try await Task.detached { try await teller.first() }.value == 0)
            #expect(
                try await bank.transaction { transaction in
                    try await transaction.values.overwrite(Account(id: 9, balance: 1))
                    let rich = transaction.values.query(Account.self).filter { $0.balance > 50 }
                    let scoped = try transaction.values.scoped { $0.rule(Account.self) { $0.balance == 1 } }
                    return try await [rich.count(), scoped.query(Account.self).all().count, rich.all().count]
                } == [5, 1, 5])
            try await bank.values.delete(Account.self, named: 9, .dangling)
        }
    }

    /// Pages are those of a database in which the changes are made already.
    @Test(arguments: Sweep.seeds(20, whole: 1_000))
    func queriesFindWhatTheTransactionHasWritten(_ seed: UInt64) async throws {
        var (random, queries) = (SplitMix64(seed: seed), RandomQuery(seed: seed))
        let records = try queries.records()
        let (database, copy) = (InMemoryRecordDatabase(), InMemoryRecordDatabase())
        for target in [database, copy] { try await target.commit(RecordBatch(saving: records, savePolicy: .overwrite)) }
        let changes = try queries.records().filter { _ in random.chance(oneIn: 3) }
        let deletions = records.map(\.id).filter { id in random.chance(oneIn: 4) && !changes.contains { $0.id == id } }
        let reads = try queries.ids()
        let batch = RecordBatch(saving: changes, deletingAnyVersionOf: deletions, savePolicy: .overwrite)
        try await copy.commit(batch)
        var asked: [RecordQuery] = []
        for _ in 0..<20 {
            let query = try queries.query()
            if !query.names([.creationDate, .modificationDate, .changeTag, FieldPath([])]) { asked.append(query) }
        }
        try await database.transaction { transaction in
            _ = try await transaction.records(for: reads)
            try await transaction.commit(batch)
            for query in asked {
                var (found, expected) = (query, query)
                while true {
                    let page = try await transaction.page(found)
                    let other = try await copy.page(expected)
                    try #require(page.records.map(\.id) == other.records.map(\.id), "\(seed): \(query)")
                    try #require((page.next == nil) == (other.next == nil), "\(seed): \(query)")
                    if page.next == nil { break }
                    (found.after, expected.after) = (page.next, other.next)
                }
                let count = try await transaction.count(query)
                #expect(try await copy.count(query) == count, "\(seed): \(query)")
            }
        }
    }

    @Test func onlyRecordsThatMatchMustStayUnchanged() async throws {
        let database = try await makeBank(4)
        for (changed, count) in [(3, 1), (0, 2)] {
            try await database.values.overwrite((0..<4).map { Account(id: $0, balance: $0 < 2 ? 5 : 100) })
            let attempts = Counter()
            try await database.transaction { transaction in
                let poor = try await transaction.values.query(Account.self).filter { $0.balance < 10 }.count()
                if attempts.next() == 1 { try await database.values.overwrite(Account(id: changed, balance: 50)) }
                try await transaction.values.overwrite(Account(id: 9, balance: 100 * poor))
            }
            #expect(attempts.last == count)
            #expect(try await database.values.fetch(Account.self, named: 9).balance == (changed == 3 ? 200 : 100))
        }
    }

    // MARK: Together with others

    @Test func transfersOfManyTasksKeepTheSum() async throws {
        let database = try await makeBank(10)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for step in 0..<10 {
                        let (from, to) = ((task + step) % 10, (task * 3 + step * 7 + 1) % 10)
                        if from == to { continue }
                        try await database.transaction { transaction in
                            var giver = try await transaction.values.fetch(Account.self, named: from)
                            var taker = try await transaction.values.fetch(Account.self, named: to)
                            giver.balance -= 1
                            taker.balance += 1
                            try await transaction.values.save(&giver)
                            try await transaction.values.save(&taker)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await balances(database).reduce(0, +) == 1_000)
    }

    /// Two people are on duty, and each may leave if the other one stays.
    @Test func decisionsOnWhatOthersChangeAreRefused() async throws {
        let database = try await makeBank(2, 1)
        let reads = Locked(0)
        let leave: @Sendable (Int) async throws -> Void = { number in
            try await database.transaction { transaction in
                let all = try await transaction.values.fetch(Account.self, named: [0, 1])
                // Both have read before one of them writes.
                reads.withLock { $0 += 1 }
                while reads.withLock({ $0 }) < 2 { await Task.yield() }
                if all.map(\.balance).reduce(0, +) > 1 {
                    try await transaction.values.overwrite(Account(id: number, balance: 0))
                }
            }
        }
        async let first: Void = leave(0)
        async let second: Void = leave(1)
        _ = try await (first, second)
        #expect(try await balances(database).reduce(0, +) == 1)
        #expect(reads.withLock { $0 } == 3)
    }

    @Test func missingRecordMustStillBeMissing() async throws {
        let database = try await makeBank(1)
        let attempts = Counter()
        let text = try await database.transaction { transaction in
            let attempt = attempts.next()
            let other = try await transaction.values.fetchIfPresent(Account.self, named: 7)?.value
            if attempt == 1 { try await database.values.overwrite(Account(id: 7, balance: 7)) }
            try await transaction.values.overwrite(Account(id: 0, balance: other?.balance ?? 0))
            return "\(attempt)"
        }
        #expect(text == "2")
        #expect(try await balances(database) == [7, 7])
    }

    @Test func whatIsReadTwiceIsTheSame() async throws {
        let database = try await makeBank(2)
        let attempts = Counter()
        try await database.transaction { transaction in
            let first = try await transaction.values.fetch(Account.self, named: 0).value
            if attempts.next() == 1 { try await database.values.overwrite(Account(id: 0, balance: 1)) }
            #expect(try await transaction.values.fetch(Account.self, named: 0).value == first)
            #expect(
                try await transaction.values.query(Account.self).filter { $0.id == 0 }.all().map(\.value) == [first])
            _ = try await transaction.values.fetch(Account.self, named: 1).value
        }
        // Two calls have read: together they are of one moment only the second time.
        #expect(attempts.last == 2)
    }

    @Test func errorThatComesOfRecordsOfDifferentTimesIsNotThrown() async throws {
        struct Unequal: Error {}
        let database = try await makeBank(2)
        let attempts = Counter()
        try await database.transaction { transaction in
            let first = try await transaction.values.fetch(Account.self, named: 0).value
            if attempts.next() == 1 {
                try await database.values.overwrite([Account(id: 0, balance: 1), Account(id: 1, balance: 1)])
            }
            let second = try await transaction.values.fetch(Account.self, named: 1).value
            if first.balance != second.balance { throw Unequal() }
        }
        #expect(attempts.last == 2)
    }

    @Test func lastConflictIsTheErrorWhenNoAttemptIsLeft() async throws {
        let database = try await makeBank(2)
        let attempts = Counter()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.transaction(maximumAttempts: 3) { transaction in
                let account = try await transaction.values.fetch(Account.self, named: 0).value
                let attempt = attempts.next()
                try await database.values.overwrite(Account(id: 0, balance: attempt))
                try await transaction.values.overwrite(Account(id: 1, balance: account.balance))
            }
        }
        #expect(try error?.code == .versionMismatch && error?.recordID == Record.ID("TransactionAccount/0"))
        #expect(attempts.last == 3)
        #expect(try await balances(database) == [3, 100])
    }

    // MARK: Its own conflicts

    /// Changes a record that the transaction has read, outside the transaction.
    private struct OutsideWrite: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let write: @Sendable (RecordStore) async throws -> Void
    }

    private static let outsideWrites: [OutsideWrite] = [
        OutsideWrite(testDescription: "update") { try await $0.update(Account.self, named: 0) { $0.balance += 10 } },
        OutsideWrite(testDescription: "change") {
            try await $0.change(Account.self, named: 0) { $0.balance.increment(10) }
        },
        OutsideWrite(testDescription: "transaction") {
            try await $0.transaction { store in
                _ = try await store.update(Account.self, named: 0) { $0.balance += 10 }
            }
        },
        OutsideWrite(testDescription: "overwrite") { store in
            let balance = try await store.fetch(Account.self, named: 0).balance
            try await store.overwrite(Account(id: 0, balance: balance + 10))
        },
        OutsideWrite(testDescription: "in a task") { store in
            _ = try await Task { try await store.update(Account.self, named: 0) { $0.balance += 10 } }.value
        },
    ]

    @Test(arguments: outsideWrites)
    private func transactionThatConflictsWithItsOwnClosureSaysSo(_ outside: OutsideWrite) async throws {
        let database = try await makeBank(1)
        let (store, attempts) = (database.values, Counter())
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.transaction { transaction in
                _ = attempts.next()
                try await transaction.update(Account.self, named: 0) { $0.balance += 1 }
                try await outside.write(store)
            }
        }
        #expect(error?.hint?.contains("it must use the store that it gets") == true)
        #expect(attempts.last == 3)
        #expect(try await balances(database) == [130])
    }

    @Test func transactionThatConflictsWithInsertsAndDeletionsOfItsOwnClosureSaysSo() async throws {
        let database = try await makeBank(1)
        let (store, attempts) = (database.values, Counter())
        let inserted = await #expect(throws: RecordDatabaseError.self) {
            try await store.transaction { transaction in
                let id = attempts.next()
                #expect(try await transaction.fetchIfPresent(Account.self, named: id) == nil)
                try await transaction.overwrite(Account(id: 0, balance: 0))
                try await store.insert(Account(id: id, balance: 5))
            }
        }
        #expect(inserted?.hint?.contains("it must use the store that it gets") == true)
        let deleted = await #expect(throws: RecordDatabaseError.self) {
            try await store.transaction { transaction in
                let id = attempts.last - 2
                try await transaction.update(Account.self, named: id) { $0.balance = 0 }
                try await store.delete(Account.self, named: id)
                _ = attempts.next()
            }
        }
        #expect(deleted?.hint?.contains("it must use the store that it gets") == true)
        #expect(try await balances(database) == [100])
    }

    @Test func errorOfAClosureThatHasChangedWhatItReadIsThrown() async throws {
        let database = try await makeBank(1)
        let (store, attempts) = (database.values, Counter())
        await #expect(throws: Malfunction.self) {
            try await store.transaction { transaction in
                _ = (attempts.next(), try await transaction.fetch(Account.self, named: 0))
                try await store.update(Account.self, named: 0) { $0.balance += 10 }
                throw Malfunction()
            }
        }
        #expect(attempts.last == 3)
    }

    // MARK: Within

    @Test func nobodySeesWhatIsWrittenBeforeTheEnd() async throws {
        let database = try await makeBank(2)
        try await database.transaction { transaction in
            try await transaction.values.overwrite([Account(id: 0, balance: 1), Account(id: 2, balance: 2)])
            try await transaction.values.delete(Account.self, named: 1, .dangling)
            #expect(try await balances(database) == [100, 100])
            #expect(try await balances(transaction) == [1, 2])
            #expect(try await transaction.values.fetchIfPresent(Account.self, named: 1)?.value == nil)
            #expect(try await transaction.values.query(Account.self).filter { $0.balance < 10 }.count() == 2)
            #expect(transaction.description == "RecordTransaction: 3 records read, 3 changed")
        }
        #expect(try await balances(database) == [1, 2])
    }

    @Test func nothingIsWrittenIfTheClosureThrows() async throws {
        struct Stop: Error {}
        let database = try await makeBank(2)
        let attempts = Counter()
        await #expect(throws: Stop.self) {
            try await database.transaction { transaction in
                _ = attempts.next()
                try await transaction.values.delete(Account.self, named: 0, .dangling)
                try await transaction.values.overwrite(Account(id: 1, balance: 0))
                throw Stop()
            }
        }
        #expect(try await balances(database) == [100, 100])
        #expect(attempts.last == 1)
    }

    @Test func transactionThatIsKeptHasEnded() async throws {
        let database = try await makeBank(1)
        let kept = try await database.transaction { $0 }
        var error = await #expect(throws: RecordDatabaseError.self) {
            _ = try await kept.records(for: [Record.ID("TransactionAccount/0")])
        }
        #expect(error?.code == .transactionEnded)
        error = await #expect(throws: RecordDatabaseError.self) {
            try await kept.values.overwrite(Account(id: 0, balance: 0))
        }
        #expect(error?.code == .transactionEnded)
        error = await #expect(throws: RecordDatabaseError.self) { for try await _ in kept.records(ofType: nil) {} }
        #expect(error?.code == .transactionEnded)
        #expect(try await balances(database) == [100])
    }

    @Test func saveWhileTheTransactionIsCommittedIsRefused() async throws {
        let memory = try await makeBank(2)
        let kept = Locked<RecordTransaction?>(nil)
        let codes = Locked<[RecordDatabaseError.Code?]>([])
        let database = CountingDatabase(memory) { _ in
            do {
                try await kept.withLock { $0 }?.values.overwrite(Account(id: 1, balance: 0))
                codes.withLock { $0.append(nil) }
            } catch let error as RecordDatabaseError {
                codes.withLock { $0.append(error.code) }
            }
        }
        try await database.transaction { transaction in
            kept.withLock { $0 = transaction }
            try await transaction.values.overwrite([Account(id: 0, balance: 1), Account(id: 1, balance: 1)])
        }
        #expect(codes.withLock { $0 } == [.transactionEnded])
        #expect(try await balances(database) == [1, 1])
    }

    @Test func saveThatIsStillReadingWhenTheTransactionEndsIsRefused() async throws {
        let database = SlowReads(try await makeBank(2))
        let task = try await database.transaction { transaction in
            let task = Task { try await transaction.values.overwrite(Account(id: 1, balance: 0)) }
            await database.hasBegun.wait()
            return task
        }
        database.mayAnswer.open()
        let error = await #expect(throws: RecordDatabaseError.self) { try await task.value }
        #expect(error?.code == .transactionEnded)
        #expect(try await balances(database) == [100, 100])
    }

    /// A database that answers a fetch only when it may.
    private final class SlowReads: RecordDatabase {
        let hasBegun = Gate()
        let mayAnswer = Gate()
        private let base: InMemoryRecordDatabase

        init(_ base: InMemoryRecordDatabase) { self.base = base }

        func records(for ids: [Record.ID]) async throws -> [Record] {
            hasBegun.open()
            await mayAnswer.wait()
            return try await base.records(for: ids)
        }

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

        func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
    }

    @Test func versionOfATransactionIsUselessAfterItsEnd() async throws {
        let database = try await makeBank(1)
        var stored = try await database.transaction { transaction in
            var stored = try await transaction.values.fetch(Account.self, named: 0)
            stored.balance = 1
            try await transaction.values.save(&stored)
            return stored
        }
        stored.balance = 2
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.values.save(&stored) }
        #expect(error?.code == .conflict)
        #expect(try await balances(database) == [1])
    }

    @Test func transactionInATransactionIsAPartOfIt() async throws {
        struct Stop: Error {}
        let database = try await makeBank(2)
        try await database.transaction { outer in
            try await outer.transaction { inner in
                try await inner.values.overwrite(Account(id: 0, balance: 1))
                #expect(try await balances(outer) == [100, 100])
            }
            #expect(try await balances(outer) == [1, 100])
            await #expect(throws: Stop.self) {
                try await outer.transaction { inner in
                    try await inner.values.overwrite(Account(id: 1, balance: 2))
                    throw Stop()
                }
            }
        }
        #expect(try await balances(database) == [1, 100])
    }

    @Test func timeOfTheSaveIsThatOfTheEnd() async throws {
        let database = InMemoryRecordDatabase(now: { Date(timeIntervalSinceReferenceDate: 5) })
        try await database.transaction { transaction in
            let record = try Record(id: Record.ID("Visit/1"), fields: ["at": .serverTimestamp])
            try await transaction.commit(RecordBatch(saving: [record]))
            // Seen before the end it is the present time.
            #expect(try await transaction.records(for: [Record.ID("Visit/1")]).first?["at"] != .serverTimestamp)
        }
        let saved = try await database.records(for: [Record.ID("Visit/1")]).first
        #expect(saved?["at"] == .date(Date(timeIntervalSinceReferenceDate: 5)))
    }

    @Test func timeOfTheEndIsThatOfValuesThatAreChangedAgain() async throws {
        struct Entry: RecordCodable, Identifiable {
            var id: Int
            var text: String
            @ServerTimestamp var created: Date?
            static let recordType = "TransactionEntryChangedAgain"
        }
        let database = InMemoryRecordDatabase()
        try await database.transaction { transaction in
            try await transaction.values.insert(Entry(id: 1, text: "a"))
            let inserted = Date()
            try await waitUntil { Date() > inserted }
            try await transaction.values.update(Entry.self, named: "1") { $0.text = "b" }
        }
        let entry = try await database.values.fetch(Entry.self, named: "1")
        #expect(entry.text == "b" && entry.created == entry.metadata?.modificationDate)
        // Another date is another date.
        let date = Date(timeIntervalSince1970: 1)
        try await database.transaction { transaction in
            try await transaction.values.insert(Entry(id: 2, text: "a"))
            try await transaction.values.update(Entry.self, named: "2") { $0.created = date }
        }
        #expect(try await database.values.fetch(Entry.self, named: "2").value.created == date)
    }

    @Test func smallLimitOfADatabaseIsNamed() async throws {
        let database = InMemoryRecordDatabase(batchLimit: 3)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.transaction {
                try await $0.values.overwrite((0..<4).map { Account(id: $0, balance: 0) })
            }
        }
        #expect(error?.code == .batchTooLarge)
        try await database.transaction { try await $0.values.overwrite((0..<3).map { Account(id: $0, balance: 0) }) }
        #expect(try await balances(database) == [0, 0, 0])
    }

    /// Each step in a transaction has the result that it has in a database of its own.
    @Test(arguments: 0..<20)
    func randomStepsAreThoseOfADatabase(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let (database, plain) = (InMemoryRecordDatabase(), InMemoryRecordDatabase())
        for number in 0..<4 {
            let record = try Record(id: Record.ID(type: "A", name: "\(number)"), fields: ["n": .int(Int64(number))])
            try await database.commit(RecordBatch(saving: [record]))
            try await plain.commit(RecordBatch(saving: [record]))
        }
        try await database.transaction { transaction in
            for step in 0..<60 {
                var names = (0..<7).map(String.init).shuffled(using: &random)
                var batch = RecordBatch(savePolicy: SavePolicy.allCases.randomElement(using: &random) ?? .overwrite)
                var other = batch
                func take() throws -> Record.ID { try Record.ID(type: "A", name: names.removeLast()) }
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let id = try take()
                    let fields: Record.Fields = ["n": .int(Int64(step))]
                    let isVersioned = Bool.random(using: &random)
                    let (mine, its) = (
                        try await transaction.records(for: [id]).first, try await plain.records(for: [id]).first
                    )
                    var record = try Record(id: id, fields: fields)
                    record.metadata = isVersioned ? mine?.metadata : nil
                    batch.saves.append(record)
                    record.metadata = isVersioned ? its?.metadata : nil
                    other.saves.append(record)
                }
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let id = try take()
                    let version = Int.random(in: 0...2, using: &random)
                    let (mine, its) = (
                        try await transaction.records(for: [id]).first, try await plain.records(for: [id]).first
                    )
                    func choose(_ record: Record?) -> RecordBatch.Version {
                        version == 0 ? .any : version == 1 ? .missing : record.map { .init(of: $0) } ?? .missing
                    }
                    if Bool.random(using: &random) {
                        batch.deletions.append(RecordBatch.VersionedID(id, version: choose(mine)))
                        other.deletions.append(RecordBatch.VersionedID(id, version: choose(its)))
                    } else {
                        batch.conditions.append(RecordBatch.VersionedID(id, version: choose(mine)))
                        other.conditions.append(RecordBatch.VersionedID(id, version: choose(its)))
                    }
                }
                let results = (await outcome(of: batch, in: transaction), await outcome(of: other, in: plain))
                #expect(results.0 == results.1, "seed \(seed), step \(step)")
                let found = (try await contents(transaction), try await contents(plain))
                #expect(found.0 == found.1, "seed \(seed), step \(step)")
            }
        }
        let found = (try await contents(database), try await contents(plain))
        #expect(found.0 == found.1, "seed \(seed)")
    }

    private func outcome(of batch: RecordBatch, in database: some RecordDatabase) async -> String {
        do {
            return try await database.commit(batch).keys.sorted().description
        } catch {
            return (error as? RecordDatabaseError).map { "\($0.code) \($0.recordID as Any)" } ?? "\(error)"
        }
    }

    private func contents(_ database: some RecordDatabase) async throws -> [String: Record.Fields] {
        var contents: [String: Record.Fields] = [:]
        for try await record in database.records(ofType: "A") { contents[record.id.name] = record.fields }
        return contents
    }

    // MARK: One value

    @Test func updateIsRepeatedIfAnythingThatItReadHasChanged() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Summary(id: "s", person: Person(id: "p", name: "Ann"), text: ""))
        let database = CountingDatabase(memory) { number in
            if number == 1 { try await memory.values.overwrite(Person(id: "p", name: "Bo")) }
        }
        var seen: [String] = []
        try await database.values.update(Summary.self, named: "s") { summary in
            seen.append(summary.person.name)
            summary.text = "of \(summary.person.name)"
        }
        #expect(seen == ["Ann", "Bo"])
        #expect(try await memory.values.fetch(Summary.self, named: "s").value.text == "of Bo")
    }

    @Test func deletionInATransactionRequiresNothingOfOtherRecords() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite((0..<20).map { Person(id: "p\($0)", name: "\($0)") })
        try await memory.values.overwrite(Summary(id: "s", person: Person(id: "p0", name: "0"), text: ""))
        let database = CountingDatabase(memory) { _ in
            try await memory.values.overwrite(Person(id: "p9", name: "changed"))
        }
        try await database.values.transaction { try await $0.delete(Person.self, named: "p1") }
        #expect(database.modifications.count == 1)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.transaction { try await $0.delete(Person.self, named: "p0") }
        }
        #expect(error?.code == .stillReferenced)
        try await database.values.transaction { store in
            try await store.insert(Summary(id: "new", person: Person(id: "p2", name: "2"), text: ""))
            let refused = await #expect(throws: RecordDatabaseError.self) {
                try await store.delete(Person.self, named: "p2")
            }
            #expect(refused?.code == .stillReferenced)
        }
    }

    @Test func restOfALargeValueIsLookedAtBefore() async throws {
        struct Group: RecordCodable, Identifiable {
            var id: String
            var people: [Person]
            var count: Int
            static let recordType = "TransactionGroup"
        }
        let memory = InMemoryRecordDatabase(batchLimit: 3)
        let people = (0..<7).map { Person(id: "\($0)", name: "") }
        try await memory.values.overwrite(Group(id: "g", people: people, count: 0))
        let database = CountingDatabase(memory) { number in
            if number == 2 { try await memory.values.overwrite(Person(id: "6", name: "Bo")) }
        }
        var names: [String] = []
        try await database.values.update(Group.self, named: "g") { group in
            names.append(group.people[6].name)
            group.count = group.people.count
        }
        #expect(names == ["", "Bo"])
        #expect(try await memory.values.fetch(Group.self, named: "g").value.count == 7)
    }
}
