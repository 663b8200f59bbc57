#if PostgreSQL
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// What can be said without a server.
@Suite struct PostgreSQLConnectionStringTests {
    @Test(arguments: [
        "postgresql://ada:geheim@[::1", "postgresql://ada:geheim@host:port:port/x?nonsense=1",
        "password=geheim user",
        "password='geheim", "host=x password=geheim\u{0}", "postgresql://ada:geheim%zz@host/x", "geheim",
    ])
    func stringsThatCannotBeReadAreNotRepeated(_ connection: String) async {
        let failure = await expectFailure(.invalidConnection) {
            _ = try PostgreSQLRecordDatabase(connection: connection)
        }
        #expect(failure?.description.contains("geheim") == false)
    }

    @Test func descriptionsHaveNoPasswords() async throws {
        for connection in [
            "postgresql://ada:geheim@host:99/school", "host=host password=geheim sslpassword=geheim",
        ] {
            let database = try PostgreSQLRecordDatabase(connection: connection)
            var dumped = ""
            dump(database, to: &dumped)
            for text in ["\(database)", dumped, String(reflecting: database)] {
                #expect(!text.contains("geheim"))
                #expect(text.contains("host"))
            }
        }
    }

    @Test func messagesAreOneLineWithoutPasswords() throws {
        let parameters = try ConnectionParameters("host=host password=geheim")
        #expect(
            parameters.message("the server is gone\n\tThis means that geheim\n\tis wrong.\n")
                == "the server is gone This means that … is wrong.")
        #expect(parameters.message("\n") == "")
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "é", count: 32)])
    func schemasThatCannotBeNamedAreRefused(_ schema: String) async {
        await expectFailure(.invalidOptions) {
            var options = PostgreSQLRecordDatabase.Options()
            options.schema = schema
            _ = try PostgreSQLRecordDatabase(connection: "host=x", options: options)
        }
    }

    @Test func aMissingServerIsATransientError() async throws {
        let database = try PostgreSQLRecordDatabase(
            connection: "postgresql://ada:geheim@127.0.0.1:1/school?connect_timeout=2")
        let failure = await expectFailure(.notConnected) { _ = try await database.allRecords() }
        #expect(failure?.isTransient == true)
        #expect(failure?.description.contains("127.0.0.1") == true)
        #expect(failure?.description.contains("geheim") == false)
        // All waiting calls fail.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { await expectFailure(.notConnected) { try await database.prepare() } }
            }
        }
    }

    @Test func aLostWorkerIsATransientError() {
        func isTransient(_ sqlState: String, _ message: String) -> Bool {
            RecordDatabaseError.refused(sqlState: sqlState, message: message, hint: nil, purpose: "save").isTransient
        }
        #expect(isTransient("08006", "connection to the remote node postgres@127.0.0.1:9701 failed"))
        #expect(isTransient("XX000", "failure on connection marked as essential: 127.0.0.1:9701"))
        #expect(isTransient("XX000", "SSL SYSCALL error: EOF detected"))
        #expect(isTransient("XX000", "server closed the connection unexpectedly"))
        #expect(!isTransient("XX000", "could not read block 0"))
    }

    @Test func batchesAreReadBackFromTheirText() throws {
        let commit = PostgreSQLCommit(token: .max, date: Date(timeIntervalSinceReferenceDate: -0.1))
        #expect(PostgreSQLCommit(commit.description) == commit)
        let data = try JSONEncoder().encode([commit])
        #expect(try JSONDecoder().decode([PostgreSQLCommit].self, from: data) == [commit])
        for text in ["", "-", "1", "a-b-c", "\u{E9}-1", "1-"] { #expect(PostgreSQLCommit(text) == nil) }
    }

    @Test func arraysWithinArraysAreEscaped() {
        #expect(["a", nil, "", "\"\\{},NULL", "é"].arrayText == #"{"a",NULL,"","\"\\{},NULL","é"}"#)
        #expect([String?]().arrayText == "{}")
        #expect("a\"b".asIdentifier == "\"a\"\"b\"")
    }

    /// Names in which a quote is a part of a character, or has others around it.
    static let quotes = ["\"", "\"\u{301}", "\u{600}\"", "a\"\u{301}\"\u{20DD}b", "\"\u{200D}\"", "\"\u{FE0F}é"]

    @Test(arguments: quotes) func everyQuoteOfANameIsDoubled(_ name: String) {
        let bytes = name.utf8.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] }
        #expect(Array(name.asIdentifier.utf8) == [0x22] + bytes + [0x22])
    }

    @Test func literalsAreASCII() {
        #expect("a'\\ é\u{301}\u{1F600}".asLiteral == #"E'a\'\\ \U000000e9\U00000301\U0001f600'"#)
    }

    /// The values of some keywords that connections are opened with.
    private func values(_ connection: String) throws -> [String?] {
        let parameters = try PostgreSQLRecordDatabase(connection: connection).parameters
        return [
            "connect_timeout", "tcp_user_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
            "keepalives_count",
        ].map { keyword in parameters.values.last { $0.keyword == keyword }?.value }
    }

    @Test func serversThatVanishAreGivenUpUnlessTheStringSaysOtherwise() throws {
        #expect(try values("host=h") == ["10", "60000", "1", "30", "10", "3"])
        #expect(
            try values("postgresql://h?tcp_user_timeout=0&keepalives=0&keepalives_idle=7&connect_timeout=4")
                == ["4", "0", "0", "7", "10", "3"])
    }

    @Test func descriptionsAreOneLine() {
        let error = RecordDatabaseError(.refused, reason: "a\r\nb\n\u{301}c")
        #expect(!error.description.utf8.contains { $0 == 0x0A || $0 == 0x0D })
    }
}

@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(3)))
struct PostgreSQLErrorTests {
    private func record(_ name: String) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: ["a": 1])
    }

    @Test func withoutTablesItSaysWhatToDo() async throws {
        let database = try PostgreSQLRecordDatabase(connection: TestServer.connection, options: .ofOwnSchema())
        let id = try record("a").id
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await database.records(for: [id]) },
            { _ = try await database.allRecords() },
            { _ = try await database.commit(RecordBatch(deletingAnyVersionOf: [id])) },
            { _ = try await database.page(RecordQuery("Book")) },
            { _ = try await database.changeToken() },
            { _ = try await database.outcome(of: PostgreSQLCommit(token: 1, date: Date())) },
        ]
        for call in calls {
            let failure = await expectFailure(.notPrepared, call)
            #expect(failure?.description.contains("prepare()") == true)
            #expect(failure?.isTransient == false)
        }
        await database.close()
        await expectFailure(.closed) { _ = try await database.allRecords() }
    }

    @Test(arguments: PostgreSQLConnectionStringTests.quotes)
    func theNameOfASchemaIsNeverAStatement(_ quote: String) async throws {
        let schema = "t\(quote).records(a int); SELECT 1; --\(Int.random(in: 1...999_999_999))"
        try await withDatabase {
            $0.schema = schema
        } _: { database in
            let count = try await database.sql(
                "SELECT count(*) FROM pg_namespace WHERE nspname = $1", .text(schema))
            #expect(count.integer(0, 0) == 1)
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            #expect(try await database.allIDs() == [try record("a").id])
        }
    }

    #if canImport(Glibc)
    @Test func connectionsToServersThatVanishAreGivenUpByTheSystem() async throws {
        let session = try Session(PostgreSQLRecordDatabase(connection: TestServer.connection).parameters)
        func option(_ level: Int32, _ name: Int32) -> Int32 {
            var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(session.socket, level, name, &value, &size)
            return value
        }
        let protocolNumber = Int32(IPPROTO_TCP)
        try #require(option(SOL_SOCKET, SO_DOMAIN) != AF_UNIX)
        #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(
            [TCP_USER_TIMEOUT, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { option(protocolNumber, $0) }
                == [60_000, 30, 10, 3])
    }
    #endif

    /// Changes of rows by another program, and the ID of the damaged row; nil if it is none.
    static let damages: [(sql: String, id: String?)] = [
        ("UPDATE RECORDS SET name = '9' WHERE name = '1'", "Book/9"),
        ("UPDATE RECORDS SET type = 'Z' WHERE name = '1'", "Z/1"),
        ("UPDATE RECORDS SET body = (SELECT body FROM RECORDS WHERE name = '3') WHERE name = '1'", "Book/1"),
        ("UPDATE RECORDS SET body = '\\x00' WHERE name = '1'", "Book/1"),
        ("UPDATE RECORDS SET name = 'a' || chr(10) WHERE name = '1'", nil),
        ("UPDATE RECORDS SET name = E'\\'\\U00000301\\\\\\n' WHERE name = '1'", nil),
        ("UPDATE RECORDS SET type = 'A/''B' WHERE name = '1'", nil),
    ]

    @Test(TestServer.isOneServer, arguments: damages.indices, [SavePolicy?.none, .overwrite])
    func aDamagedRowIsAnErrorThatNamesItAndTheWayOut(_ number: Int, _ policy: SavePolicy?) async throws {
        let (sql, id) = Self.damages[number]
        try await withDatabase {
            // With it, a save looks at the version that it replaces if that was saved later.
            $0.indexes = [FieldIndex("Book", by: .modificationDate), FieldIndex("Z", by: .modificationDate)]
        } _: { database in
            let token = try await database.changeToken()
            try await database.commit(
                RecordBatch(
                    saving: try (1...3).map { number in
                        try Record(
                            id: Record.ID(type: "Book", name: "\(number)"),
                            fields: ["a": 1, "r": .reference(Record.Reference(to: Record.ID("Book/x")))])
                    }, savePolicy: .overwrite))
            try await database.sql(sql.replacing("RECORDS", with: database.tables.records))
            try await database.sql("UPDATE \(database.tables.records) SET modified = 9e9")
            let type = id?.first == "Z" ? "Z" : "Book"
            var calls: [() async throws -> Void] = [
                { _ = try await database.allRecords() },
                { _ = try await database.changes(since: token, limit: 10) },
                { _ = try await database.danglingReferences() },
                { _ = try await database.referrers(of: [Record.ID("Book/x")]) },
            ]
            if id != nil || !sql.contains("A/") {
                calls += [
                    { for try await _ in database.records(ofType: type) {} },
                    { _ = try await database.page(RecordQuery(type)) },
                    { _ = try await database.count(RecordQuery(type, where: .compare("a", .equal, 1))) },
                ]
            }
            if type == "Book", id != nil {
                calls.append {
                    _ = try await database.page(RecordQuery("Book", order: [RecordOrder(.modificationDate)]))
                }
            }
            var hint = ""
            for call in calls {
                let failure = try #require(await expectFailure(.corrupt, call))
                #expect(failure.recordID?.description == id)
                hint = try #require(failure.hint)
                #expect(failure.description.contains(id ?? "no ID") && failure.description.hasSuffix(hint))
            }
            #expect(try await database.verify().map(\.recordID?.description) == [id])
            if let id = try id.map(Record.ID.init) {
                #expect(hint == "delete the record with a RecordBatch, or overwrite it")
                let saved = try Record(id: id, fields: ["a": 7])
                let batch =
                    policy.map { RecordBatch(saving: [saved], savePolicy: $0) }
                    ?? RecordBatch(deletingAnyVersionOf: [id])
                let metadata = try await database.commit(batch)
                #expect(try await database.records(for: [id]).map(\.fields["a"]) == (policy == nil ? [] : [7]))
                #expect(try await database.records(for: [id]).first?.metadata == metadata[id])
            } else {
                let start = try #require(hint.range(of: "DELETE")).lowerBound
                try await database.sql(String(hint[start...]))
            }
            #expect(try await database.verify().isEmpty)
            for call in calls { try await call() }
            #expect(try await database.allRecords().count == (id == nil || policy == nil ? 2 : 3))
        }
    }

    @Test func aDamagedRowIsNotReplacedByASaveOfAnotherVersion() async throws {
        try await withDatabase { database in
            let id = try record("1").id
            try await database.commit(RecordBatch(saving: [try record("1")], savePolicy: .overwrite))
            try await database.sql("UPDATE \(database.tables.records) SET body = '\\x00'")
            var known = try record("1")
            known.metadata = Record.Metadata(changeTag: "t", creationDate: Date(), modificationDate: Date())
            var batches = [
                RecordBatch(saving: [known]),
                RecordBatch(saving: [try record("1")], savePolicy: .ifUnchanged),
                RecordBatch(), RecordBatch(),
            ]
            batches[2].deletions = [RecordBatch.VersionedID(id, version: .changeTag("t"))]
            batches[3].conditions = [RecordBatch.VersionedID(id, version: .missing)]
            batches[3].saves = [try record("2")]
            for batch in batches {
                let failure = await expectFailure(.corrupt) { try await database.commit(batch) }
                #expect(failure?.recordID == id)
            }
            #expect(try await database.verify().map(\.recordID) == [id])
        }
    }

    @Test(TestServer.isOneServer) func aServerWithoutCitusDistributesNothing() async throws {
        try await withDatabase { database in
            await expectFailure(.unsupported) { try await database.prepare(distribution: .citus(shardCount: 4)) }
            await expectFailure(.invalidOptions) { try await database.prepare(distribution: .citus(shardCount: 0)) }
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
        }
    }

    @Test(TestServer.isOneServer) func everyDamagedRowIsFound() async throws {
        try await withDatabase { database in
            try await database.commit(
                RecordBatch(saving: try (1...2_000).map { try record("\($0)") }, savePolicy: .overwrite))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [try record("6").id]))
            let table = database.tables.records
            try await database.sql("UPDATE \(table) SET body = '\\x00' WHERE name IN ('1', '1500')")
            try await database.sql("UPDATE \(table) SET type = '' WHERE name IN ('3', '6')")
            try await database.sql("UPDATE \(table) SET name = 'z' WHERE name = '2000'")
            let problems = try await database.verify()
            #expect(problems.map(\.recordID?.name) == [nil, nil, "1", "1500", "z"])
            #expect(problems[0].description.contains(#"the type "" and the name "3""#))
            #expect(problems[4].description.contains("Book/z"))
        }
    }

    @Test func aRowThatTheServerCannotReadEndsTheVerification() async throws {
        try await withDatabase { database in
            let names = (1...300).map { String(1_000 + $0) }
            try await database.commit(RecordBatch(saving: try names.map { try record($0) }, savePolicy: .overwrite))
            // As a row whose bytes are damaged on the disk.
            let table = database.tables.records
            let schema = database.options.schema.asIdentifier
            try await database.sql("ALTER TABLE \(table) RENAME TO rest")
            try await database.sql(
                """
                CREATE VIEW \(table) AS SELECT type, name, xid, tag, expected, created, modified,
                CASE WHEN name IN ('1001', '1150', '1151', '1300') THEN decode('z' || name, 'hex') ELSE body END AS body,
                keys, refs, fields FROM \(schema).rest
                """)
            await expectFailure(.refused) { _ = try await database.verify() }
            await expectFailure(.refused) { _ = try await database.allRecords() }
        }
    }

    @Test func severalMayPrepareAtOnce() async throws {
        try await withDatabase { database in
            try await database.sql("DROP SCHEMA \(database.options.schema.asIdentifier) CASCADE")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let other = try database.another { $0.indexes = [FieldIndex("Book", by: "a")] }
                        try await other.prepare()
                        try await other.commit(
                            RecordBatch(saving: [try record(UUID().uuidString)], savePolicy: .overwrite))
                        await other.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.allRecords().count == 6)
            #expect(try await database.readCatalog().indexes.count == 1)
        }
    }

    @Test func tablesOfALaterVersionAreLeftAlone() async throws {
        try await withDatabase { database in
            try await database.sql("UPDATE \(database.tables.store) SET version = 2")
            let other = try database.another()
            await expectFailure(.unsupportedVersion) {
                try await other.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            }
            await expectFailure(.unsupportedVersion) { try await other.prepare() }
            await expectFailure(.unsupportedVersion) { _ = try await other.changeToken() }
            await other.close()
        }
    }

    @Test(TestServer.isOneServer) func statementsThatTakeTooLongAreGivenUp() async throws {
        try await withDatabase { base in
            try await base.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            var server = try #require(URLComponents(string: TestServer.connection))
            server.queryItems = [URLQueryItem(name: "options", value: "-c statement_timeout=500")]
            let database = try PostgreSQLRecordDatabase(
                connection: try #require(server.string), options: base.options)
            // A busy machine may take that long for anything.
            let saved = RecordBatch(saving: [try record("a")], savePolicy: .overwrite)
            try await waitUntil { (try? await database.commit(saved)) != nil }
            try await holdingRow(of: database) {
                let failure = await expectFailure(.refused) {
                    try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
                }
                #expect(failure?.systemCode == "57014")
                #expect(failure?.operation == "save")
                #expect(failure?.isTransient == true)
            }
            try await waitUntil { (try? await database.commit(saved)) != nil }
            await database.close()
        }
    }

    @Test(TestServer.isOneServer) func cancelledTasksEndAtOnceAndSaveNothing() async throws {
        try await withDatabase {
            $0.poolSize = 2
        } _: { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            let version = try await database.records(for: [try record("a").id])
            try await holdingRow(of: database) {
                let saving = (0..<5).map { _ in
                    Task { try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite)) }
                }
                // Two are with the server, the others wait for a connection.
                try await waitUntil { try await database.waitingCount() == 2 }
                for task in saving { task.cancel() }
                for task in saving {
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
            #expect(try await database.records(for: [try record("a").id]) == version)
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
        }
    }

    @Test func serversThatAreReadOnlyAreRead() async throws {
        try await withDatabase { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            let separator = TestServer.connection.contains("?") ? "&" : "?"
            let reader = try PostgreSQLRecordDatabase(
                connection: TestServer.connection + separator + "options=-c%20default_transaction_read_only%3Don",
                options: database.options)
            #expect(try await reader.allRecords().count == 1)
            #expect(try await reader.page(RecordQuery("Book")).records.count == 1)
            _ = try await reader.changeToken()
            let failure = await expectFailure(.refused) {
                try await reader.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            }
            #expect(failure?.systemCode == "25006")
            #expect(failure?.isTransient == false)
            await reader.close()
        }
    }

    @Test(arguments: [4, Int.max])
    func connectionsThatWereCutWhileTheyRestedAreReplaced(_ poolSize: Int) async throws {
        try await withDatabase {
            $0.poolSize = poolSize
        } _: { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await database.commit(
                            RecordBatch(saving: [try record("\(number)")], savePolicy: .overwrite))
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<3 {
                try await database.cutConnections()
                // Nothing was sent over them, so that it is not noticed.
                try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
                try await database.cutConnections()
                #expect(try await database.records(for: [try record("a").id]).count == 1)
            }
        }
    }

    @Test func connectionsThatAreCutWhileItSavesLoseNothing() async throws {
        try await withDatabase { database in
            let isDone = Locked(false)
            let acknowledged = Locked<[String: Int64]>([:])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        var value: Int64 = 0
                        while !isDone.withLock({ $0 }), !Task.isCancelled {
                            value += 1
                            let records = try ["x", "y"].map { suffix in
                                try Record(
                                    id: Record.ID(type: "Book", name: "\(writer)\(suffix)"),
                                    fields: ["a": .int(value)])
                            }
                            if try await saved(records, in: database) {
                                let value = value
                                acknowledged.withLock { $0["\(writer)"] = value }
                            }
                        }
                    }
                }
                let cutter = try database.another()
                // The connections between the servers of a cluster are cut too, and open slowly.
                for _ in 0..<(TestServer.isCluster ? 8 : 16) {
                    let before = acknowledged.withLock { $0 }
                    try await waitUntil { acknowledged.withLock { $0 } != before }
                    try await cutter.cutConnections(but: cutter)
                }
                await cutter.close()
                isDone.withLock { $0 = true }
                try await group.waitForAll()
            }
            let reader = try database.another()
            try await expectWhole(reader, acknowledged.withLock { $0 })
            await reader.close()
        }
    }

    @Test func theOutcomeOfABatchIsFinal() async throws {
        try await withDatabase { database in
            // A batch that was saved.
            let committed = PostgreSQLCommit(token: 11, date: Date())
            try await send(record("a"), committed, to: database)
            #expect(try await database.outcome(of: committed) == .committed)
            // One that comes after the question is refused.
            let late = PostgreSQLCommit(token: 12, date: Date())
            #expect(try await database.outcome(of: late) == .notCommitted)
            #expect(try await database.outcome(of: late) == .notCommitted)
            let failure = await expectFailure(.refused) { try await send(record("b"), late, to: database) }
            #expect(failure?.systemCode == "23505")
            #expect(try await database.allIDs() == [try record("a").id])
            // One under way is waited for.
            let running = PostgreSQLCommit(token: 13, date: Date())
            let holder = PostgreSQLConnection()
            try await holder.open(ConnectionParameters(TestServer.connection), [])
            let statements = try await statements(record("c"), running, of: database)
            _ = try await holder.execute([Statement("test", "BEGIN")] + statements, CancelSwitch())
            let asking = Task { try await database.outcome(of: running) }
            try await waitUntil { try await database.waitingCount() == 1 }
            _ = try await holder.execute([Statement("test", "COMMIT")], CancelSwitch())
            #expect(try await asking.value == .committed)
            // One of long ago is not known any more.
            try await waitUntil {
                try await database.purgeHistory(olderThan: .zero)
                return try await database.outcome(of: committed) == .forgotten
            }
        }
    }

    #if canImport(Glibc)
    @Test(arguments: [true, false])
    func aLostAnswerToASaveIsAnUnknownOutcome(isSaved: Bool) async throws {
        try await withDatabase { database in
            let server = try #require(URLComponents(string: TestServer.connection))
            let relay = try Relay(to: UInt16(try #require(server.port)))
            defer { relay.close() }
            var relayed = server
            relayed.port = Int(relay.port)
            var options = database.options
            // No announcement of the save before, which would be lost in place of the save.
            options.poolSize = 1
            let client = try PostgreSQLRecordDatabase(
                connection: try #require(relayed.string), options: options)
            _ = try await client.allRecords()
            _ = try await client.knownCatalog()
            relay.lose(isSaved ? .losesAnswer : .losesRequest)
            let failure = await expectFailure(.unknownOutcome) {
                try await client.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            }
            let commit = try #require(failure?.commit)
            #expect(failure?.isTransient == false)
            #expect(failure?.underlyingError is RecordDatabaseError)
            #expect(try await client.outcome(of: commit) == (isSaved ? .committed : .notCommitted))
            #expect(try await database.allRecords().count == (isSaved ? 1 : 0))
            // What only reads is repeated without a word.
            for fault in [Relay.Fault.losesAnswer, .losesRequest] {
                relay.lose(fault)
                #expect(try await client.allRecords().count == (isSaved ? 1 : 0))
            }
            await client.close()
        }
    }

    @Test func aFetchAndASaveAreOneRoundTripEach() async throws {
        try await withDatabase {
            // Otherwise the fetch may open another connection while the announcement is under way.
            $0.poolSize = 1
        } _: { database in
            let server = try #require(URLComponents(string: TestServer.connection))
            let relay = try Relay(to: UInt16(try #require(server.port)))
            defer { relay.close() }
            var relayed = server
            relayed.port = Int(relay.port)
            let client = try PostgreSQLRecordDatabase(
                connection: try #require(relayed.string), options: database.options)
            let records = try (0..<50).map { try record("\($0)") }
            _ = try await client.knownCatalog()
            var former = relay.requestCount.withLock { $0 }
            try await client.commit(
                RecordBatch(saving: records, deletingAnyVersionOf: [try record("gone").id], savePolicy: .overwrite))
            // The announcement comes after it.
            try await waitUntil { relay.requestCount.withLock { $0 } > former + 1 }
            #expect(relay.requestCount.withLock { $0 } == former + 2)
            former = relay.requestCount.withLock { $0 }
            #expect(try await client.records(for: records.map(\.id)).count == 50)
            #expect(relay.requestCount.withLock { $0 } == former + 1)
            await client.close()
        }
    }
    #endif

    // MARK: Helpers

    private func statements(
        _ record: Record, _ commit: PostgreSQLCommit, of database: PostgreSQLRecordDatabase
    ) async throws -> [Statement] {
        let catalog = try await database.knownCatalog()
        var rows = BatchRows(catalog, writesFields: true)
        let metadata = Record.Metadata(changeTag: "t", creationDate: commit.date, modificationDate: commit.date)
        try rows.add(record, metadata, expected: .any)
        return database.tables.commit(rows, token: commit.token, catalog)
    }

    private func send(_ record: Record, _ commit: PostgreSQLCommit, to database: PostgreSQLRecordDatabase)
        async throws
    {
        let statements = try await statements(record, commit, of: database)
        _ = try await database.pool.execute(statements, isRepeatable: false)
    }

    /// Calls the closure while another connection keeps others from changing all rows.
    private func holdingRow(of database: PostgreSQLRecordDatabase, _ body: () async throws -> Void) async throws {
        let holder = PostgreSQLConnection()
        try await holder.open(ConnectionParameters(TestServer.connection), [])
        let lock = Statement("test", "SELECT FROM \(database.tables.records) FOR UPDATE")
        _ = try await holder.execute([Statement("test", "BEGIN"), lock], CancelSwitch())
        try await body()
        _ = try await holder.execute([Statement("test", "COMMIT")], CancelSwitch())
    }
}

#if canImport(Glibc)
@Suite(.enabled(if: OwnServer.isPossible, OwnServer.reason), .timeLimit(.minutes(3)))
struct PostgreSQLCrashTests {
    @Test func aServerThatIsKilledLosesNoAcknowledgedBatch() async throws {
        let server = try OwnServer()
        defer { server.stop() }
        let database = try PostgreSQLRecordDatabase(connection: server.connection())
        try await database.prepare()
        let isDone = Locked(false)
        let acknowledged = Locked<[String: Int64]>([:])
        let unknownCount = Locked(0)
        let token = try await database.changeToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var value: Int64 = 0
                    while !isDone.withLock({ $0 }), !Task.isCancelled {
                        value += 1
                        let records = try ["x", "y"].map { suffix in
                            try Record(
                                id: Record.ID(type: "Book", name: "\(writer)\(suffix)"),
                                fields: ["a": .int(value)])
                        }
                        let isSaved = try await saved(records, in: database) {
                            unknownCount.withLock { $0 += 1 }
                        }
                        if isSaved {
                            let value = value
                            acknowledged.withLock { $0["\(writer)"] = value }
                        }
                    }
                }
            }
            for _ in 0..<6 {
                // At another moment of a batch each time.
                let count = acknowledged.withLock { $0.values.reduce(0, +) } + .random(in: 1...20)
                try await waitUntil { acknowledged.withLock { $0.values.reduce(0, +) } >= count }
                try server.restart()
            }
            isDone.withLock { $0 = true }
            try await group.waitForAll()
        }
        try await expectWhole(database, acknowledged.withLock { $0 })
        // The history goes on over the crashes.
        let changes = try await database.changes(since: token, limit: 1_000)
        #expect(Set(changes.saved) == Set(try await database.allRecords()))
        #expect(acknowledged.withLock { $0.values.reduce(0, +) } > 0)
        await database.close()
    }
}
#endif

/// Saves records until it is known whether they are saved.
///
/// - Returns: Whether they are.
private func saved(
    _ records: [Record], in database: PostgreSQLRecordDatabase, _ noteUnknown: () -> Void = {}
) async throws -> Bool {
    do {
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        return true
    } catch let failure as RecordDatabaseError {
        guard failure.code == .unknownOutcome else {
            #expect(failure.isTransient, "\(failure)")
            try await waitUntil { (try? await database.changeToken()) != nil }
            return false
        }
        noteUnknown()
        let commit = try #require(failure.commit)
        var isCommitted = false
        try await waitUntil {
            do {
                isCommitted = try await database.outcome(of: commit) == .committed
                return true
            } catch let failure as RecordDatabaseError where failure.isTransient {
                return false
            }
        }
        return isCommitted
    }
}

/// Expects the last acknowledged value of each writer, in both of its records.
private func expectWhole(_ database: PostgreSQLRecordDatabase, _ acknowledged: [String: Int64]) async throws {
    var values: [String: Record.Value] = [:]
    for record in try await database.allRecords() { values[record.id.name] = record["a"] }
    for (writer, value) in acknowledged {
        #expect(values[writer + "x"] == .int(value))
        #expect(values[writer + "y"] == .int(value))
    }
}

extension PostgreSQLRecordDatabase {
    /// How many statements over the tables of this database wait for a lock.
    fileprivate func waitingCount() async throws -> Int64 {
        let watcher = try another()
        let rows = try await watcher.sql(
            """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid <> pg_backend_pid() \
            AND position($1 IN query) > 0
            """, .text(options.schema))
        await watcher.close()
        return rows.integer(0, 0) ?? 0
    }

    /// Ends the connections that have used the tables of this database last.
    fileprivate func cutConnections(but own: PostgreSQLRecordDatabase? = nil) async throws {
        let watcher = try own ?? another()
        try await watcher.sql(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
            AND position($1 IN query) > 0
            """, .text(options.schema))
        if own == nil { await watcher.close() }
    }
}
#endif
