import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FileChangeTests {
    private let folder: TemporaryFolder
    private let database: FileRecordDatabase

    init() throws {
        folder = try TemporaryFolder()
        database = try FileRecordDatabase(path: folder.path())
    }

    private func book(_ number: Int, _ pages: Int = 1) throws -> Record {
        try Record(id: Record.ID("Book/\(number)"), fields: ["pages": .int(Int64(pages))])
    }

    private func save(_ numbers: [Int], deleting deleted: [Int] = [], _ pages: Int = 1) async throws {
        let ids = try deleted.map { try book($0).id }
        try await database.commit(
            RecordBatch(saving: numbers.map { try book($0, pages) }, deletingAnyVersionOf: ids, savePolicy: .overwrite))
    }

    private func names(_ records: [Record]) -> [String] { records.map(\.id.name) }

    private func expectExpiry(
        _ reason: ChangeToken.Expiry, of token: ChangeToken, in database: FileRecordDatabase,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(sourceLocation: sourceLocation) {
            try await database.changes(since: token, limit: 10)
        } throws: { error in
            (error as? RecordDatabaseError)?.expiry == reason
        }
    }

    private func save(_ numbers: [Int], _ pages: Int) async throws { try await save(numbers, deleting: [], pages) }

    @Test func emptyDatabaseHasATokenFromWhichAllFollows() async throws {
        let token = try await database.changeToken()
        try await save([1])
        #expect(try await names(database.changes(since: token, limit: 1).saved) == ["1"])
    }

    @Test func waitingEndsWithTheDatabase() async throws {
        let token = try await database.changeToken()
        let wait = Task { try await database.waitForChanges(after: token) }
        try await database.close()
        await #expect {
            try await wait.value
        } throws: { error in
            (error as? RecordDatabaseError)?.code == .closed
        }
    }

    @Test func tokensAndDeletionsStayThroughCompactionsAndReopening() async throws {
        try await save([1, 2, 3])
        let token = try await database.changeToken()
        try await save([], deleting: [2])
        try await database.compact()
        try await save([4])
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path())
        for _ in 0..<2 {
            let changes = try await again.changes(since: token, limit: 10)
            #expect(names(changes.saved) == ["4"])
            #expect(try changes.deleted == [book(2).id])
            #expect(try await again.changeToken() == changes.token)
            #expect(try await again.changes(since: changes.token, limit: 10).isEmpty)
            try await again.compact()
        }
        #expect(try await again.verify() == [])
    }

    @Test(arguments: [false, true]) func pagesNeverCutABatch(isCompacted: Bool) async throws {
        let token = try await database.changeToken()
        for number in 0..<20 { try await save(Array(7 * number..<(7 * number + 7))) }
        // Some batches have lost their first record, some their last one.
        try await save([0, 7, 20, 34, 35, 36, 37, 38, 39, 40, 41], 2)
        if isCompacted { for _ in 0..<2 { try await database.compact() } }
        var expected = [1..<7, 8..<14, 14..<20, 21..<28, 28..<34].map { Array($0) }
        for number in 6..<20 { expected.append(Array(7 * number..<(7 * number + 7))) }
        expected.append([0, 7, 20, 34, 35, 36, 37, 38, 39, 40, 41])
        for limit in [1, 6, 7, 8, 20, 1_000] {
            var token = token
            var batches = expected[...]
            var isComplete = false
            while !isComplete {
                let changes = try await database.changes(since: token, limit: limit)
                var page: [Int] = []
                while page.count < limit, let batch = batches.popFirst() { page += batch }
                #expect(names(changes.saved) == page.map(String.init))
                (token, isComplete) = (changes.token, changes.isComplete)
            }
            #expect(batches.isEmpty)
        }
    }

    @Test func longBatchIsOnOnePage() async throws {
        let token = try await database.changeToken()
        try await save(Array(0..<20_000))
        try await save([20_000])
        try await database.compact()
        let changes = try await database.changes(since: token, limit: 10)
        #expect(changes.saved.count == 20_000)
        #expect(!changes.isComplete)
        #expect(try await names(database.changes(since: changes.token, limit: 10).saved) == ["20000"])
    }

    @Test func forgottenDeletionsExpireTokens() async throws {
        let options = {
            var options = FileRecordDatabase.Options()
            options.maximumDeletionCount = 2
            return options
        }()
        let database = try FileRecordDatabase(path: folder.path("few"), options: options)
        func delete(_ number: Int) async throws -> ChangeToken {
            try await database.commit(RecordBatch(deletingAnyVersionOf: [book(number).id]))
            return try await database.changeToken()
        }
        let first = try await database.changeToken()
        try await database.commit(RecordBatch(saving: (0..<5).map { try book($0) }, savePolicy: .overwrite))
        let second = try await delete(0)
        let third = try await delete(1)
        let fourth = try await delete(2)
        // Until a compaction everything is there.
        #expect(try await database.changes(since: first, limit: 100).deleted.count == 3)
        #expect(try await database.oldestChangeToken() == first)
        try await database.compact()
        await expectExpiry(.purged, of: first, in: database)
        for (token, count) in [(second, 2), (third, 1), (fourth, 0)] {
            #expect(try await database.changes(since: token, limit: 100).deleted.count == count)
        }
        #expect(try await database.oldestChangeToken() == second)
        _ = try await delete(3)
        try await database.compact()
        await expectExpiry(.purged, of: second, in: database)
        #expect(try await database.changes(since: third, limit: 100).deleted.count == 2)
        #expect(try await database.oldestChangeToken() == third)
    }

    @Test(arguments: [false, true]) func restoredFileIsNoticed(isCompacted: Bool) async throws {
        try await save([1])
        let before = try await database.changeToken()
        try await database.close()
        try FileManager.default.copyItem(atPath: folder.path(), toPath: folder.path("backup"))
        var lost: [ChangeToken] = []
        for number in 2...3 {
            let again = try FileRecordDatabase(path: folder.path())
            try await again.commit(RecordBatch(saving: [book(number)], savePolicy: .overwrite))
            lost.append(try await again.changeToken())
            try await again.close()
        }
        let restored = try FileRecordDatabase(path: folder.path("backup"))
        for token in lost { await expectExpiry(.wentBack, of: token, in: restored) }
        for number in 0..<100 { try await restored.commit(RecordBatch(saving: [book(number)], savePolicy: .overwrite)) }
        if isCompacted { try await restored.compact() }
        for token in lost { await expectExpiry(.wentBack, of: token, in: restored) }
        #expect(try await restored.changes(since: before, limit: 1_000).saved.count == 100)
    }

    @Test func cancelledWaitEndsAtOnce() async throws {
        let token = try await database.changeToken()
        for isReadOnly in [false, true] {
            var options = FileRecordDatabase.Options()
            options.isReadOnly = isReadOnly
            let database = isReadOnly ? try FileRecordDatabase(path: folder.path(), options: options) : database
            let wait = Task { try await database.waitForChanges(after: token) }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
    }

    @Test func liveValueOfAFileFollowsIt() async throws {
        struct Shelf: RecordCodable, Equatable {
            var name: String
            var books: Int
            var recordName: String { name }
        }
        try await database.values.overwrite(Shelf(name: "a", books: 1))
        var values = database.values.live(Shelf.self, named: "a").makeAsyncIterator()
        #expect(try await values.nextValue()??.value == Shelf(name: "a", books: 1))
        try await database.values.overwrite(Shelf(name: "a", books: 2))
        #expect(try await values.nextValue()??.value == Shelf(name: "a", books: 2))
        try await database.compact()
        try await database.values.overwrite(Shelf(name: "a", books: 3))
        #expect(try await values.nextValue()??.value == Shelf(name: "a", books: 3))
    }

    // MARK: Other processes

    @Test func readerFollowsAWriter() async throws {
        try await save([1])
        let reader = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        let token = try await reader.changeToken()
        #expect(try await database.changeToken() == token)
        async let wait: Void = reader.waitForChanges(after: token)
        try await save([2])
        try await wait
        var changes = try await reader.changes(since: token, limit: 10)
        #expect(names(changes.saved) == ["2"])
        // Fetches are of the same moment.
        #expect(try await names(reader.records(for: [book(2).id])) == ["2"])
        // Through a compaction, which replaces the file.
        let last = changes.token
        async let replaced: Void = reader.waitForChanges(after: last)
        try await database.compact()
        try await save([3], deleting: [1])
        try await replaced
        changes = try await reader.changes(since: last, limit: 10)
        #expect(names(changes.saved) == ["3"])
        #expect(try changes.deleted == [book(1).id])
        #expect(try await reader.allRecords == database.allRecords)
        #expect(try await reader.verify() == [])
    }

    @Test func readerOfAFileThatIsGoneSaysSo() async throws {
        try await save([1])
        let reader = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        try FileManager.default.removeItem(atPath: folder.path())
        await #expect(throws: RecordDatabaseError.self) { try await reader.changeToken() }
    }

    @Test(.timeLimit(.minutes(60)))
    func readersThatFollowManyWritersMissNothing() async throws {
        var options = FileRecordDatabase.Options()
        (options.durability, options.compactionThreshold) = (.relaxed, 0.2)
        let writer = try FileRecordDatabase(path: folder.path("busy"), options: options)
        let reader = try FileRecordDatabase(path: folder.path("busy"), options: .readOnly)
        let padding = String(repeating: "x", count: 2_000)
        let areWriting = Locked(8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        let record = try Record(
                            id: Record.ID("Book/\(task)-\(number % 20)"),
                            fields: ["n": .int(Int64(number)), "text": .string(padding)])
                        let deleted = try Record.ID("Book/\(task)-\((number + 7) % 20)")
                        try await writer.commit(
                            RecordBatch(
                                saving: [record], deletingAnyVersionOf: number % 3 == 0 ? [deleted] : [],
                                savePolicy: .overwrite))
                    }
                    areWriting.withLock { $0 -= 1 }
                }
            }
            for database in [writer, reader] {
                let token = try await writer.oldestChangeToken()
                group.addTask {
                    var follower = ChangeFollower(token: token)
                    while areWriting.withLock({ $0 }) > 0 {
                        _ = try await follower.readPage(of: database, limit: 5)
                    }
                    try await follower.catchUp(with: database)
                    #expect(try await follower.records == writer.allRecords)
                }
            }
            try await group.waitForAll()
        }
        await writer.compactionHasEnded()
        #expect(try await writer.statistics().compactionCount > 0)
        #expect(try await writer.verify() == [])
    }

    // MARK: Histories

    @Test(arguments: UInt64(0)..<30) func followersHaveWhatTheFileHas(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let path = folder.path("\(seed)")
        var options = FileRecordDatabase.Options()
        (options.durability, options.compactionThreshold) = (random.chance(oneIn: 2) ? .relaxed : .full, nil)
        options.maximumDeletionCount = random.pick([2, 10, 1_000])
        var database = try FileRecordDatabase(path: path, options: options)
        var followers = [ChangeFollower(token: try await database.changeToken())]
        for step in 0..<120 {
            switch Int.random(in: 0..<14, using: &random) {
            case 0: try await database.compact()
            case 1:
                try await database.close()
                database = try FileRecordDatabase(path: path, options: options)
            case 2: followers.append(try await ChangeFollower(snapshotOf: database))
            case 3..<7:
                let number = Int.random(in: followers.indices, using: &random)
                do {
                    let limit = Int.random(in: 1...5, using: &random)
                    if try await followers[number].readPage(of: database, limit: limit) {
                        #expect(try await followers[number].records == database.allRecords, "step \(step)")
                    }
                } catch RecordDatabaseError.Code.changeTokenExpired where options.maximumDeletionCount < 1_000 {
                    followers[number] = try await ChangeFollower(snapshotOf: database)
                }
            default:
                let records = try (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    try book(Int.random(in: 0..<12, using: &random), step)
                }
                let saved = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
                let id = try book(Int.random(in: 0..<12, using: &random)).id
                try await database.commit(
                    RecordBatch(
                        saving: Array(saved.values), deletingAnyVersionOf: saved[id] == nil ? [id] : [],
                        savePolicy: .overwrite))
            }
        }
        #expect(try await database.verify() == [])
    }

    // MARK: Damage

    @Test func compactionOfAFileWithDamageThatNobodyNeedsForgetsTheHistory() async throws {
        let token = try await database.changeToken()
        for pages in 1...2 { try await save([1, 2], pages) }
        // The length of an entry that is old.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path()))
        try handle.seek(toOffset: UInt64(FileHeader.batchesStart + BlockHeader.size))
        try handle.write(contentsOf: [0xFF, 0xFF])
        try handle.close()
        try await database.compact()
        #expect(try await database.allRecords.count == 2)
        await expectExpiry(.purged, of: token, in: database)
        let now = try await database.changeToken()
        try await save([3])
        #expect(try await names(database.changes(since: now, limit: 10).saved) == ["3"])
        #expect(try await database.verify() == [])
    }
}
