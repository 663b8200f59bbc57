#if canImport(Glibc)
import Foundation
import HTTPTestSupport
import NestedRecords
import NestedRecordsHTTP
import TestSupport
import Testing

@Suite(.serialized) struct URLSessionTransportTests {
    private static func records(_ count: Int, size: Int = 1) throws -> [Record] {
        try (0..<count).map {
            try Record(
                id: Record.ID(type: "Sample", name: "\($0)"),
                fields: ["n": .int(Int64($0)), "text": .string(String(repeating: "é", count: size))])
        }
    }

    /// Hundreds of tests run at the same time as these: the time is no part of them.
    private static func client(of server: SocketServer) -> RemoteRecordDatabase {
        var options = RemoteRecordDatabase.Options()
        (options.deadline, options.longestWait) = (.seconds(3_600), .seconds(1_800))
        return RemoteRecordDatabase(server.url, options: options)
    }

    private static func service(of database: some RecordDatabase = InMemoryRecordDatabase()) -> RecordDatabaseService {
        var options = RecordDatabaseService.Options.unhurried
        options.longestWait = .seconds(1_800)
        return RecordDatabaseService(of: database, options: options)
    }

    @Test func callsOverASocketReadAndWrite() async throws {
        let server = try SocketServer(Self.service())
        defer { server.close() }
        let client = Self.client(of: server)
        let records = try Self.records(500, size: 100)
        let saved = try await client.commit(RecordBatch(saving: records))
        #expect(saved.count == 500)
        #expect(try await client.records(for: records.map(\.id)).map(\.fields).count == 500)
        var listed: [Record] = []
        for try await record in client.records(ofType: "Sample") { listed.append(record) }
        #expect(Set(listed.map(\.id)) == Set(records.map(\.id)))
        #expect(try await client.count(RecordQuery("Sample", where: .compare("n", .less, 7))) == 7)
        let conflict = await #expect(throws: RecordDatabaseError.self) {
            try await client.commit(RecordBatch(saving: [records[0]]))
        }
        #expect(conflict?.code == .conflict && conflict?.serverRecord?.id == records[0].id)
    }

    @Test func waitEndsWithAChange() async throws {
        let memory = InMemoryRecordDatabase()
        let server = try SocketServer(Self.service(of: memory))
        defer { server.close() }
        let client = Self.client(of: server)
        let token = try await client.changeToken()
        let waiting = Task { try await client.waitForChanges(after: token) }
        try await memory.commit(RecordBatch(saving: Self.records(1)))
        try await waiting.value
        #expect(try await client.changes(since: token, limit: 10).saved.count == 1)
    }

    @Test func cancelledWaitEnds() async throws {
        let server = try SocketServer(Self.service())
        defer { server.close() }
        let client = Self.client(of: server)
        let token = try await client.changeToken()
        let waiting = Task { try await client.waitForChanges(after: token) }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func missingServerIsNotConnected() async throws {
        let server = try SocketServer(Self.service())
        server.close()
        let client = Self.client(of: server)
        for call in [
            { _ = try await client.changeToken() },
            { _ = try await client.commit(RecordBatch(saving: Self.records(1))) },
        ] {
            let error = await #expect(throws: RecordDatabaseError.self) { try await call() }
            #expect(error?.code == .notConnected && error?.isTransient == true)
        }
    }

    @Test func connectionThatEndsIsLost() async throws {
        let server = try SocketServer(Self.service())
        defer { server.close() }
        let client = Self.client(of: server)
        for fault in [SocketServer.Fault.closes, .cuts] {
            server.fault.withLock { $0 = fault }
            let read = await #expect(throws: RecordDatabaseError.self) { try await client.changeToken() }
            #expect(read?.code == .connectionLost)
            let write = await #expect(throws: RecordDatabaseError.self) {
                try await client.commit(RecordBatch(saving: Self.records(1)))
            }
            #expect(write?.code == .unknownOutcome)
        }
    }

    @Test func compressedAnswersAreRead() async throws {
        let server = try SocketServer(Self.service())
        defer { server.close() }
        server.compresses.withLock { $0 = true }
        let client = Self.client(of: server)
        let records = try Self.records(500, size: 100)
        try await client.commit(RecordBatch(saving: records))
        #expect(try await client.records(for: records.map(\.id)).map(\.fields) == records.map(\.fields))
        var listed: [Record] = []
        for try await record in client.records(ofType: "Sample") { listed.append(record) }
        #expect(Set(listed.map(\.id)) == Set(records.map(\.id)))
        #expect(server.compressedCount.withLock { $0 } == 3)
        server.fault.withLock { $0 = .cuts }
        let error = await #expect(throws: RecordDatabaseError.self) { try await client.records(for: records.map(\.id)) }
        #expect(error?.code == .connectionLost)
    }

    @Test func redirectsAreNotFollowed() async throws {
        let server = try SocketServer(Self.service())
        defer { server.close() }
        server.fault.withLock { $0 = .redirects }
        let error = await #expect(throws: RecordError.self) { try await Self.client(of: server).changeToken() }
        #expect(error?.code == .invalidResponse)
        #expect(server.requestCount.withLock { $0 } == 1)
    }

    @Test func slowReaderGetsAWholeList() async throws {
        let memory = InMemoryRecordDatabase()
        // 4 MB.
        try await memory.commit(RecordBatch(saving: Self.records(400, size: 5_000)))
        let server = try SocketServer(Self.service(of: memory))
        defer { server.close() }
        var list = Self.client(of: server).records(ofType: "Sample").makeAsyncIterator()
        var names: Set<String> = []
        while let record = try await list.next() {
            if names.isEmpty { try await Task.sleep(for: .milliseconds(500)) }
            names.insert(record.id.name)
        }
        #expect(names.count == 400)
    }
}
#endif
