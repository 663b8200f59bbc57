package import NestedRecords
package import NestedRecordsHTTP
import TestSupport

/// Passes requests to a service in the same process, and may lose, delay, double and cut them on the way.
package struct JoinedTransport: RecordHTTPTransport {
    /// What goes wrong; each is the share of the requests, 0 to 1.
    package struct Faults: Sendable {
        package var lostRequests = 0.0
        package var lostAnswers = 0.0
        package var cutAnswers = 0.0
        package var doubledRequests = 0.0
        package var lateCopies = 0.0

        package init() {}
    }

    package let service: RecordDatabaseService
    package var faults = Faults()
    private let random: Lock<SplitMix64>
    package let sent = Lock<[RecordHTTPRequest]>([])

    package init(_ service: RecordDatabaseService, faults: Faults = Faults(), seed: UInt64 = 1) {
        (self.service, self.faults) = (service, faults)
        random = Lock(SplitMix64(seed: seed))
    }

    package func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
        try Task.checkCancellation()
        sent.withLock { $0.append(request) }
        func happens(_ share: Double) -> Bool {
            share > 0 && random.withLock { Double.random(in: 0..<1, using: &$0) } < share
        }
        if happens(faults.lostRequests) { throw RecordDatabaseError(.connectionLost) }
        if happens(faults.doubledRequests) {
            async let first = service.respond(to: request)
            async let second = service.respond(to: request)
            let answers = await [first, second]
            try Task.checkCancellation()
            return answers[0]
        }
        if happens(faults.lateCopies) {
            let service = service
            Task {
                try? await Task.sleep(for: .milliseconds(20))
                _ = await service.respond(to: request)
            }
            throw RecordDatabaseError(.connectionLost)
        }
        var response = await service.respond(to: request)
        try Task.checkCancellation()
        if happens(faults.lostAnswers) { throw RecordDatabaseError(.connectionLost) }
        // A list is not repeated once it has begun.
        if !request.path.hasSuffix("/list"), happens(faults.cutAnswers), let bytes = try await response.body.bytes(),
            !bytes.isEmpty
        {
            response.body = RecordHTTPBody(
                Array(bytes.prefix(random.withLock { Int.random(in: 0..<bytes.count, using: &$0) })))
        }
        return response
    }
}

extension RecordDatabaseService {
    /// A service of one database for everybody.
    package init(of database: some RecordDatabase, options: Options = Options()) {
        self.init(options: options) { request in
            Access(reader: request.headers["authorization"] ?? "everybody", database: database)
        }
    }
}
