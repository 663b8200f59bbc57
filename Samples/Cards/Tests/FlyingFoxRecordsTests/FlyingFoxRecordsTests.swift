import FlyingFox
import FlyingFoxRecords
import FlyingSocks
import Foundation
import NestedRecords
import NestedRecordsHTTP
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Note: RecordCodable, Identifiable {
    @RecordName var id: String
    var owner: String
    var text: String
}

/// The service of the article about one's own server, on FlyingFox and over a socket.
@Suite(.timeLimit(.minutes(1))) struct FlyingFoxRecordsTests {
    /// Runs a service for a test, whose readers have their own notes.
    private func withServer(_ test: (UInt16) async throws -> Void) async throws {
        let base = RecordStore(InMemoryRecordDatabase())
        try await base.declare(Note.self, readers: { $0.owner })
        let service = RecordDatabaseService { request in
            guard let user = request.headers["authorization"]?.split(separator: " ").last.map(String.init) else {
                throw RecordDatabaseError(.notSignedIn)
            }
            let scope = try base.scoped(for: user) { $0.rule(Note.self) { $0.owner == user } }
            return RecordDatabaseService.Access(reader: user, database: scope.database)
        }
        // The timeout must be longer than the wait for changes.
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 60)
        await server.appendRecords(service)
        let running = Task { try await server.run() }
        defer { running.cancel() }
        try await server.waitUntilListening()
        try await test(#require(await Self.port(of: server)))
    }

    @Test func clientsReadAndWriteTheirRecordsAndWaitForChanges() async throws {
        try await withServer { port in
            let (ann, bo) = (try Self.client(of: "ann", port), try Self.client(of: "bo", port))
            let feed = try #require(ann.database.feed)
            let token = try await feed.changeToken()
            async let wait: Void = feed.waitForChanges(after: token)
            // Several pieces of a list, and of FlyingFox.
            let text = String(repeating: "la casa ", count: 1_000)
            try await ann.insert((0..<250).map { Note(id: "\($0)", owner: "ann", text: text) })
            try await wait
            var count = 0
            for try await record in ann.database.records(ofType: "Note") {
                #expect(record["text"] == .string(text))
                count += 1
            }
            #expect(count == 250)
            #expect(try await bo.query(Note.self).count() == 0)
            var nobody = RemoteRecordDatabase.Options()
            nobody.accessToken = nil
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/records"))
            await #expect(throws: RecordDatabaseError.self) {
                try await RemoteRecordDatabase(url, options: nobody).records(for: [Record.ID("Note/1")])
            }
        }
    }

    @Test func assetsArriveAndAreSent() async throws {
        try await withServer { port in
            let (ann, bo) = (try Self.client(of: "ann", port), try Self.client(of: "bo", port))
            // More than one chunk.
            let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
            let asset = try await ann.assets.add(bytes)
            #expect(try await ann.assets.data(of: asset) == bytes)
            #expect(try await !bo.assets.exists(asset))
            var request = URLRequest(
                url: try #require(URL(string: "http://127.0.0.1:\(port)/records/v1/assets/\(asset.hash)")))
            request.httpMethod = "HEAD"
            request.setValue("Bearer ann", forHTTPHeaderField: "authorization")
            let head = try #require(try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)
            #expect(head.statusCode == 200)
            #expect(head.value(forHTTPHeaderField: "content-length") == "700000")
            #expect(head.value(forHTTPHeaderField: "transfer-encoding") == nil)
        }
    }

    private static func client(of user: String, _ port: UInt16) throws -> RecordStore {
        var options = RemoteRecordDatabase.Options()
        options.accessToken = { _ in user }
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/records"))
        return RecordStore(RemoteRecordDatabase(url, options: options))
    }

    private static func port(of server: HTTPServer) async -> UInt16? {
        switch await server.listeningAddress {
        case .ip4(_, let port)?, .ip6(_, let port)?: port
        default: nil
        }
    }
}
