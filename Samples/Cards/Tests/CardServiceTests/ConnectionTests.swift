import HTTPTypes
import HummingbirdTesting
import InMemoryLogging
import Logging
import NestedRecords
import Testing

@testable import CardService

@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
    /// Runs a service with limits on a port.
    private func withPort(
        logger: Logger? = nil, _ change: (inout Limits) -> Void,
        _ test: @Sendable (Browser, Int) async throws -> Void
    ) async throws {
        var limits = Limits.generous
        change(&limits)
        try await withService(limits: limits, setup: .live, logger: logger) { ann in
            try await test(ann, #require(ann.client.port))
        }
    }

    private static let head = """
        POST /decks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token-of-ann\r\n\
        Content-Type: application/json\r\n
        """

    @Test(arguments: ["", "GET /dec", head, head + "Content-Length: 20\r\n\r\n{\"ti"])
    func connectionOnWhichNothingMoreArrivesIsClosed(_ start: String) async throws {
        try await withPort {
            $0.idleTime = .seconds(1)
        } _: { _, port in
            let connection = try await RawConnection(port: port)
            try await connection.send(start)
            #expect(try await !connection.textAtTheEnd().contains(" 20"))
        }
    }

    @Test func headThatArrivesByteByByteIsLate() async throws {
        try await withPort {
            $0.idleTime = .seconds(1)
        } _: { _, port in
            let connection = try await RawConnection(port: port)
            await #expect(throws: (any Error).self) {
                for byte in String(repeating: "a", count: 3_000) {
                    try await connection.send(String(byte))
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    @Test func bodyThatArrivesByteByByteIsLate() async throws {
        try await withPort {
            $0.bodyTime = .milliseconds(200)
        } _: { _, port in
            let connection = try await RawConnection(port: port)
            try await connection.send(Self.head + "Connection: close\r\nContent-Length: 600\r\n\r\n")
            let sending = Task {
                while true {
                    try await connection.send(" ")
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            #expect(try await connection.textAtTheEnd().hasPrefix("HTTP/1.1 408 "))
            sending.cancel()
        }
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n\r\n\r\n\r\n",
    ])
    func malformedBodyIsAClientsMistake(_ rest: String) async throws {
        let log = InMemoryLogHandler()
        try await withPort(logger: Logger(label: "cards") { _ in log }) { _ in
        } _: { _, port in
            let connection = try await RawConnection(port: port)
            try await connection.send(Self.head + rest)
            #expect(try await connection.textAtTheEnd().hasPrefix("HTTP/1.1 400 "))
        }
        #expect(!log.entries.contains { $0.level >= .warning })
    }

    @Test func bodyThatIsCutOffIsAClientsMistake() async throws {
        let log = InMemoryLogHandler()
        try await withPort(logger: Logger(label: "cards") { _ in log }) { _ in
        } _: { _, port in
            let connection = try await RawConnection(port: port)
            try await connection.send(Self.head + "Content-Length: 600\r\n\r\n{\"title\":")
            try await connection.close()
            while !log.entries.contains(where: { $0.metadata["status"] == "400" }) {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        #expect(!log.entries.contains { $0.level >= .warning })
    }

    private func request(_ deck: String) -> String {
        "GET \(deck)/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token-of-ann\r\n\r\n"
    }

    @Test func streamWithoutChangesNoticesThatItsClientIsGone() async throws {
        try await withPort {
            $0.heartbeat = .milliseconds(50)
        } _: { ann, port in
            let deck = try await ann.makeDeck()
            let connection = try await RawConnection(port: port)
            // With a second request, the end of the connection is only seen by writing.
            try await connection.send(request(deck) + request(deck))
            try await ann.waitForStreams(1)
            try await connection.close()
            try await ann.waitForStreams(0)
        }
    }

    /// Changes a deck of 300 kB until a stream that nobody reads cannot be written.
    private func fill(_ deck: String, _ ann: Browser, until isFull: () async throws -> Bool) async throws {
        for _ in 0..<60 { _ = try await ann.makeCard(String(repeating: "a", count: 5_000), in: deck) }
        let card = try await ann.makeCard(in: deck)
        var level = 0
        while try await !isFull() {
            level = (level + 1) % 10
            try await ann.send(.patch, card, #"{"level":\#(level)}"#, ifMatch: ann.tag(of: card))
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func clientThatReadsNothingLosesItsPlace() async throws {
        try await withPort {
            $0.writeTime = .milliseconds(500)
        } _: { ann, port in
            let deck = try await ann.makeDeck()
            let connection = try await RawConnection(port: port, reads: false)
            try await connection.send(request(deck))
            try await ann.waitForStreams(1)
            try await fill(deck, ann) { try await ann.send(.get, "/health").json["eventStreams"] == .integer(0) }
        }
    }

    @Test func serviceEndsWithAStreamThatIsNotRead() async throws {
        let start = ContinuousClock.now
        try await withPort {
            $0.writeTime = .seconds(3)
        } _: { ann, port in
            let deck = try await ann.makeDeck()
            let connection = try await RawConnection(port: port, reads: false)
            try await connection.send(request(deck))
            try await ann.waitForStreams(1)
            let end = ContinuousClock.now + .seconds(2)
            try await fill(deck, ann) { ContinuousClock.now > end }
        }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    #if os(Linux)
    @Test func serviceEndsWithAnAnswerThatIsNotRead() async throws {
        let start = ContinuousClock.now
        try await withPort {
            $0.writeTime = .seconds(1)
        } _: { ann, port in
            let deck = try await ann.makeDeck()
            for _ in 0..<60 { _ = try await ann.makeCard(String(repeating: "a", count: 5_000), in: deck) }
            let connection = try await RawConnection(port: port, reads: false)
            // More than the buffers of the system hold.
            try await connection.send(
                String(repeating: request(deck).replacing("/events", with: "/export"), count: 50))
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(ContinuousClock.now - start < .seconds(15))
    }
    #endif

    @Test func placesAreCountedInOneStep() async throws {
        let streams = OpenStreams(limit: 5)
        let places = await withTaskGroup(of: OpenStreams.Place?.self) { group in
            for _ in 0..<200 { group.addTask { try? streams.place(for: "ann") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(places.compactMap { $0 }.count == 5)
        #expect(streams.count == 5)
        #expect(throws: Problem.self) { try streams.place(for: "ann") }
        _ = try streams.place(for: "bo")
        withExtendedLifetime(places) {}
    }

    @Test func placesAreFreeAfterTheirStreams() throws {
        let streams = OpenStreams(limit: 1)
        for _ in 0..<3 { _ = try streams.place(for: "ann") }
        #expect(streams.count == 0)
    }
}
