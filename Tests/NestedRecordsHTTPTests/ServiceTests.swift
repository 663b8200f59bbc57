import Foundation
import HTTPTestSupport
import NestedRecords
import NestedRecordsHTTP
import TestSupport
import Testing

/// What a service accepts and refuses.
@Suite struct ServiceTests {
    struct Note: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var owner: String
        var text: String
        static let recordType = "HTTPNote"
    }

    private static func request(_ call: String, _ body: String, method: String = "POST") -> RecordHTTPRequest {
        RecordHTTPRequest(method: method, path: "/records/\(call)", body: RecordHTTPBody(Array(body.utf8)))
    }

    private static let end = "\n{\"end\":0}\n"

    @Test(arguments: [
        ("v1/fetch", "", 400), ("v1/fetch", "{}", 400), ("v1/fetch", "[]" + end, 400),
        ("v1/fetch", "{\"ids\":7}" + end, 400),
        ("v1/fetch", "{\"ids\":[7]}" + end, 400), ("v1/fetch", "{\"ids\":[\"x\"]}" + end, 400),
        ("v1/fetch", "{\"ids\":[]}\n{\"end\":1}\n", 400), ("v1/fetch", "{\"ids\":[]}\n{\"end\":-1}\n", 400),
        ("v1/fetch", "{\"ids\":[]}\n{\"error\":{}}\n", 400),
        (
            "v1/fetch",
            "{\"ids\":[]}\n{\"error\":{\"error\":\"database\",\"code\":\"serverFault\",\"kind\":\"unavailable\"}}\n",
            400
        ),
        ("v1/fetch", "{\"ids\":[]}\nnonsense\n{\"end\":1}\n", 400),
        ("v1/fetch", "{\"a\":{\"$date\":\"x\"}}" + end, 400), ("v1/fetch", "\u{0}\n\n\n", 400),
        ("v1/fetch", String(repeating: "[", count: 100_000) + end, 400),
        ("v1/page", "{}" + end, 400), ("v1/page", "{\"query\":{\"type\":\"A\",\"filter\":[[\"all\",3]]}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"filter\":[[\"all\",-1]]}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"filter\":[[\"what\"]]}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"limit\":-5}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"after\":\"x\"}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"order\":[[[\"a\"],true,\"😀\"]]}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"order\":[[[\"a\"],true,7]]}}" + end, 400),
        ("v1/page", "{\"query\":{\"type\":\"A\",\"order\":[[[\"a\"],true,\"sv\"]]}}" + end, 200),
        (
            "v1/page",
            "{\"query\":{\"type\":\"A\",\"filter\":[[\"hasPrefix\",[\"a\"],\"x\",[\"accents\",\"what\"]]]}}" + end, 400
        ),
        (
            "v1/page",
            "{\"query\":{\"type\":\"A\",\"filter\":[[\"containsText\",[\"a\"],\"x\",[\"accents\",\"case\"]]]}}" + end,
            200
        ),
        (
            "v1/summaries",
            "{\"query\":{\"type\":\"A\"},\"group\":{\"path\":[\"a\"],\"part\":\"month\",\"zone\":\"Mars/Olympus\"}}"
                + end, 400
        ),
        (
            "v1/summaries",
            "{\"query\":{\"type\":\"A\"},\"group\":{\"path\":[\"a\"],\"part\":\"age\",\"zone\":\"GMT\"}}" + end, 400
        ),
        ("v1/summaries", "{\"query\":{\"type\":\"A\"},\"group\":{\"part\":\"month\",\"zone\":\"GMT\"}}" + end, 400),
        (
            "v1/summaries",
            "{\"query\":{\"type\":\"A\"},\"group\":{\"path\":[\"a\"],\"part\":\"month\",\"zone\":\"Europe/Berlin\"}}"
                + end, 200
        ),
        ("v1/changes", "{\"since\":\"x\",\"limit\":1}" + end, 400),
        ("v1/versions", "{\"type\":\"A\",\"limit\":-1}" + end, 400),
        ("v1/outcome", "{\"id\":\"x\"}" + end, 422), ("v1/commit", "{\"id\":\"x\"}\n{\"end\":0}\n", 422),
        ("v1/wait", "{\"after\":\"x\",\"seconds\":1}" + end, 400), ("v1/nothing", end, 404), ("fetch", end, 426),
        ("v2/fetch", end, 426), ("v1/fetch/", "{\"ids\":[]}" + end, 200),
    ])
    func requestIsAnsweredWithItsStatus(call: String, body: String, status: Int) async throws {
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: .unhurried)
        let response = await service.respond(to: Self.request(call, body))
        #expect(response.status == status)
        #expect(try await response.body.bytes() != [])
    }

    @Test func otherMethodsAndPathsAreUnknown() async throws {
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: .unhurried)
        for method in ["GET", "PUT", ""] {
            #expect(await service.respond(to: Self.request("v1/fetch", Self.end, method: method)).status == 404)
        }
        for path in ["", "/", "v1", "////"] {
            #expect(await service.respond(to: RecordHTTPRequest(method: "POST", path: path)).status == 404)
        }
    }

    @Test func largeAndSlowRequestsAreRefused() async throws {
        var options = RecordDatabaseService.Options.unhurried
        options.maximumRequestBytes = 100
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: options)
        let large = Self.request("v1/fetch", String(repeating: " ", count: 101))
        #expect(await service.respond(to: large).status == 413)
        var announced = Self.request("v1/fetch", "")
        announced.headers["Content-Length"] = "101"
        #expect(await service.respond(to: announced).status == 413)
        var slow = Self.request("v1/fetch", "")
        options.bodyDeadline = .milliseconds(50)
        slow.body = RecordHTTPBody { SlowPieces() }
        let impatient = RecordDatabaseService(of: InMemoryRecordDatabase(), options: options)
        #expect(await impatient.respond(to: slow).status == 400)
        slow.body = RecordHTTPBody { EndedPieces() }
        #expect(await service.respond(to: slow).status == 400)
    }

    /// The client has ended the connection.
    private struct EndedPieces: AsyncIteratorProtocol {
        func next() async throws -> [UInt8]? { throw POSIXError(.ECONNRESET) }
    }

    private struct SlowPieces: AsyncIteratorProtocol {
        func next() async throws -> [UInt8]? {
            try await Task.sleep(for: .seconds(86_400))
            return nil
        }
    }

    @Test func bodyOfAFrameworkHasThePiecesInTheirOrder() async throws {
        let (pieces, source) = AsyncStream<ArraySlice<UInt8>>.makeStream()
        for piece in [Array("{}\n{\"e".utf8), [], Array("nd\":0}\n".utf8)] { source.yield(piece[...]) }
        source.finish()
        let body = RecordHTTPBody(pieces)
        #expect(try await body.bytes() == Array("{}\n{\"end\":0}\n".utf8))
    }

    @Test func lastFieldOfANameCounts() {
        let headers = RecordHTTPHeaders([("Accept", "a"), ("ACCEPT", "b"), ("Host", "c")])
        #expect(headers == ["accept": "b", "host": "c"])
    }

    @Test func accessIsRefusedAsTheClosureSays() async throws {
        for (code, status) in [
            (RecordDatabaseError.Code.notSignedIn, 401), (.notPermitted, 403), (.unsupportedVersion, 426),
        ] {
            let service = RecordDatabaseService { request in
                throw RecordDatabaseError(code, reason: "app \(request.headers["NestedRecords-App"] ?? "?")")
            }
            var options = RemoteRecordDatabase.Options()
            options.appVersion = "1.0"
            let client = RemoteRecordDatabase(JoinedTransport(service), options: options)
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await client.records(for: [Record.ID("Sample/a")])
            }
            #expect(error?.code == code && error?.reason == "app 1.0")
            #expect(await service.respond(to: Self.request("v1/fetch", Self.end)).status == status)
        }
    }

    @Test func refusedTokenIsReplacedOnce() async throws {
        let asked = Lock<[String?]>([])
        let service = RecordDatabaseService { request in
            guard request.headers["authorization"] == "Bearer new" else { throw RecordDatabaseError(.notSignedIn) }
            return RecordDatabaseService.Access(reader: "ann", database: InMemoryRecordDatabase())
        }
        var options = RemoteRecordDatabase.Options()
        options.accessToken = { refused in
            asked.withLock { $0.append(refused) }
            return refused == nil ? "old" : "new"
        }
        let transport = JoinedTransport(service)
        #expect(try await RemoteRecordDatabase(transport, options: options).records(for: [Record.ID("A/a")]).isEmpty)
        #expect(asked.withLock { $0 } == [nil, "old"] && transport.sent.withLock { $0.count } == 2)
        options.accessToken = { _ in "old" }
        await #expect(throws: RecordDatabaseError.self) {
            try await RemoteRecordDatabase(transport, options: options).records(for: [Record.ID("A/a")])
        }
        #expect(transport.sent.withLock { $0.count } == 4)
    }

    @Test func scopeOfAReaderHoldsOverTheNetwork() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        try await store.database.declare(RecordAudience("HTTPNote", readers: "owner"))
        let service = RecordDatabaseService { request in
            guard let reader = request.headers["authorization"]?.dropFirst(7) else {
                throw RecordDatabaseError(.notSignedIn)
            }
            let scoped = try store.scoped(for: String(reader)) { $0.rule(Note.self) { $0.owner == String(reader) } }
            return RecordDatabaseService.Access(reader: String(reader), database: scoped.database)
        }
        func client(_ name: String) -> RecordStore {
            var options = RemoteRecordDatabase.Options()
            options.accessToken = { _ in name }
            return RecordStore(RemoteRecordDatabase(JoinedTransport(service), options: options))
        }
        let (ann, bob) = (client("ann"), client("bob"))
        let token = try await ann.database.feed?.changeToken()
        let bobs = try await bob.database.feed?.changeToken()
        try await ann.insert(Note(id: "1", owner: "ann", text: "a"))
        try await bob.insert(Note(id: "2", owner: "bob", text: "b"))
        #expect(try await ann.query(Note.self).all().map(\.id) == ["1"])
        #expect(try await bob.query(Note.self).count() == 1)
        await #expect(throws: RecordError.self) { try await ann.insert(Note(id: "3", owner: "bob", text: "x")) }
        let taken = await #expect(throws: RecordDatabaseError.self) {
            try await ann.insert(Note(id: "2", owner: "ann", text: "x"))
        }
        #expect(taken?.code == .conflict && taken?.serverRecord == nil)
        let changes = try await ann.database.feed?.changes(since: #require(token), limit: 10)
        #expect(changes?.saved.map(\.id.name) == ["1"])
        let other = await #expect(throws: RecordDatabaseError.self) {
            try await ann.database.feed?.changes(since: #require(bobs), limit: 10)
        }
        #expect(other?.expiry == .otherReader)
    }

    @Test func checkRefusesByRecordAndCommitsAreReported() async throws {
        let committed = Lock<[String]>([])
        var options = RecordDatabaseService.Options.unhurried
        options.check = { batch, _ in
            Dictionary(
                batch.saves.filter { $0["text"] == "bad" }
                    .map { ($0.id, RecordDatabaseError(.notPermitted, reason: "bad words") as any Error) },
                uniquingKeysWith: { first, _ in first })
        }
        options.committed = { batch, saved, reader in
            committed.withLock { $0.append("\(reader) \(batch.saves.count) \(saved.count)") }
        }
        let memory = InMemoryRecordDatabase()
        let store = RecordStore(
            RemoteRecordDatabase(JoinedTransport(RecordDatabaseService(of: memory, options: options))))
        try await store.insert(Note(id: "1", owner: "ann", text: "good"))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.insert(Note(id: "2", owner: "ann", text: "bad"))
        }
        #expect(error?.failures.mapValues { "\($0)" }.values.first?.contains("bad words") == true)
        #expect(try await memory.record(for: Record.ID("HTTPNote/2")) == nil)
        #expect(committed.withLock { $0 } == ["everybody 1 1"])
    }

    @Test func readerWhoAsksTooOftenIsRefusedWithATimeToWait() async throws {
        var options = RecordDatabaseService.Options.unhurried
        options.quota.requestsPerMinute = 0
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: options)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await RemoteRecordDatabase(JoinedTransport(service)).changeToken()
        }
        #expect(error?.code == .tooManyRequests && error?.isTransient == true && (error?.retryAfter ?? .zero) > .zero)
    }

    /// The client sends a part of a body, and is silent.
    private struct HeldPieces: AsyncIteratorProtocol {
        var size: Int
        let arrived: AsyncStream<Void>.Continuation

        mutating func next() async throws -> [UInt8]? {
            if size == 0 {
                arrived.yield()
                try await Task.sleep(for: .seconds(86_400))
                return nil
            }
            defer { size = 0 }
            return Array(repeating: UInt8(ascii: " "), count: size)
        }
    }

    @Test func bodiesOfAReaderThatArriveAtTheSameTimeAreLimited() async throws {
        var options = RecordDatabaseService.Options.unhurried
        options.quota.openBytes = 100
        let service = RecordDatabaseService(options: options) { request in
            .init(reader: request.headers["authorization"] ?? "", database: InMemoryRecordDatabase())
        }
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let held = Task {
            var request = Self.request("v1/fetch", "")
            request.body = RecordHTTPBody { HeldPieces(size: 80, arrived: arrived) }
            return await service.respond(to: request).status
        }
        _ = await arrivals.first { _ in true }
        let small = Self.request("v1/fetch", "{\"ids\":[\"HTTPNote/1\"]}" + Self.end)
        let refused = await service.respond(to: small)
        #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
        var other = small
        other.headers["authorization"] = "bob"
        #expect(await service.respond(to: other).status == 200)
        held.cancel()
        #expect(await held.value != 200)
        // The bytes of the cancelled request are free again, and so are those of each answered one.
        for _ in 0..<5 { #expect(await service.respond(to: small).status == 200) }
    }

    @Test func tenThousandWaitsAreRefusedAboveTheQuotaAndLeaveNothing() async throws {
        let memory = InMemoryRecordDatabase()
        var options = RecordDatabaseService.Options.unhurried
        (options.quota.requestsPerMinute, options.quota.waits) = (.max, 20)
        let service = RecordDatabaseService(of: memory, options: options)
        let token = try await memory.changeToken()
        let body = "{\"after\":\"\(token)\",\"seconds\":60}" + Self.end
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10_000 {
                group.addTask { await service.respond(to: Self.request("v1/wait", body)).status }
            }
            var statuses: [Int: Int] = [:]
            while let status = try await group.next() {
                statuses[status, default: 0] += 1
                if statuses[429] == 9_980, statuses.count == 1 {
                    try await memory.commit(RecordBatch(saving: [Record(id: Record.ID("HTTPNote/a"))]))
                }
            }
            return statuses
        }
        #expect(statuses == [429: 9_980, 200: 20])
        // The places are free again.
        let past = "{\"after\":\"\(token)\",\"seconds\":0}" + Self.end
        #expect(await service.respond(to: Self.request("v1/wait", past)).status == 200)
    }

    @Test func serviceWithLessThanTheClientExpectsIsRefused() async throws {
        let limited = LimitedDatabase(base: InMemoryRecordDatabase())
        let client = RemoteRecordDatabase(JoinedTransport(RecordDatabaseService(of: limited, options: .unhurried)))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await client.records(for: [Record.ID("A/a")])
        }
        #expect(error?.missingCapabilities == [.snapshotReads])
        // Nothing is done before the refusal.
        let record = try Record(id: Record.ID("A/a"), fields: [:])
        await #expect(throws: RecordDatabaseError.self) { try await client.commit(RecordBatch(saving: [record])) }
        #expect(try await limited.record(for: record.id) == nil)
        var options = RemoteRecordDatabase.Options()
        options.capabilities.remove(.snapshotReads)
        let service = RecordDatabaseService(of: limited, options: .unhurried)
        let fitting = RemoteRecordDatabase(JoinedTransport(service), options: options)
        #expect(try await fitting.records(for: [Record.ID("A/a")]).isEmpty)
    }

    private struct LimitedDatabase: ForwardingRecordDatabase {
        let base: any RecordDatabase
        var capabilities: RecordCapabilities { base.capabilities.subtracting(.snapshotReads) }
    }

    @Test func answersOfAProxyAreErrors() async throws {
        struct Proxy: RecordHTTPTransport {
            let status: Int
            var body = "<html>Bad Gateway</html>"
            func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
                RecordHTTPResponse(
                    status: status, headers: ["Content-Type": "text/html", "Retry-After": "3"],
                    body: RecordHTTPBody(Array(body.utf8)))
            }
        }
        let id = try Record.ID("A/a")
        for (status, code) in [
            (502, RecordDatabaseError.Code.connectionLost), (401, .notSignedIn), (429, .tooManyRequests),
            (413, .batchTooLarge),
        ] {
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await RemoteRecordDatabase(Proxy(status: status)).records(for: [id])
            }
            #expect(error?.code == code && (code != .tooManyRequests || error?.retryAfter == .seconds(3)))
        }
        for proxy in [
            Proxy(status: 302), Proxy(status: 200, body: "<html>\n<body>\n"),
            Proxy(status: 200, body: "[]\n{\"end\":0}\n"),
        ] {
            let error = await #expect(throws: RecordError.self) {
                try await RemoteRecordDatabase(proxy).records(for: [id])
            }
            #expect(error?.code == .invalidResponse)
        }
        let commit = await #expect(throws: RecordDatabaseError.self) {
            try await RemoteRecordDatabase(Proxy(status: 504)).commit(RecordBatch(deletingAnyVersionOf: [id]))
        }
        #expect(commit?.code == .unknownOutcome)
        // The batch may be saved, whatever the answer has become on the way.
        let garbled = await #expect(throws: RecordDatabaseError.self) {
            try await RemoteRecordDatabase(Proxy(status: 200)).commit(RecordBatch(deletingAnyVersionOf: [id]))
        }
        #expect(garbled?.code == .unknownOutcome && garbled?.batchID != nil)
        let empty = Proxy(status: 200, body: "{}\n{\"end\":0}\n")
        let error = await #expect(throws: RecordError.self) {
            try await RemoteRecordDatabase(empty).count(RecordQuery("A"))
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test func errorsOfTheServerAreReportedAndNotShown() async throws {
        let failed = Lock<[String]>([])
        var options = RecordDatabaseService.Options.unhurried
        options.failed = { call, error in failed.withLock { $0.append("\(call) \(type(of: error))") } }
        options.check = { _, _ in
            throw EncodingError.invalidValue(1, EncodingError.Context(codingPath: [], debugDescription: "/secret"))
        }
        let service = RecordDatabaseService(of: BrokenList(base: InMemoryRecordDatabase()), options: options)
        let client = RemoteRecordDatabase(JoinedTransport(service))
        let commit = await #expect(throws: RecordDatabaseError.self) {
            try await client.commit(RecordBatch(deletingAnyVersionOf: [Record.ID("A/a")]))
        }
        #expect(commit?.code.rawValue == "serverFault" && "\(commit as Any)".contains("secret") == false)
        let list = await #expect(throws: RecordDatabaseError.self) {
            for try await _ in client.records(ofType: "A") {}
        }
        #expect(list?.code.rawValue == "serverFault")
        #expect(failed.withLock { $0 } == ["commit EncodingError", "list Malfunction"])
    }

    private struct BrokenList: ForwardingRecordDatabase {
        struct Malfunction: Error {}

        let base: any RecordDatabase

        func storedRecords(ofType type: String?) -> RecordSequence {
            RecordSequence(reading: { throw Malfunction() })
        }
    }
}
