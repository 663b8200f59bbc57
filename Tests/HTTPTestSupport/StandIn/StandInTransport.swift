import NestedRecords
import NestedRecordsHTTP
import TestSupport

/// Passes requests to the stand-in server, and may lose, cut, refuse and double them on the way.
struct StandInTransport: RecordHTTPTransport {
    /// What goes wrong; each is the share of the requests, 0 to 1.
    struct Faults: Sendable {
        /// Requests other than commits, which the caller may repeat.
        var lostReads = 0.0
        var lostAnswers = 0.0
        var cutAnswers = 0.0
        var doubledRequests = 0.0

        /// Whether also the answers to commits that are refused get lost and cut.
        var losesRefusals = true

        /// Requests that are refused, and do nothing: `RESOURCE_EXHAUSTED` or `ABORTED`.
        var refusals = 0.0

        /// Lists whose last element is an error.
        var errorsInLists = 0.0
    }

    let server: StandInServer
    var faults = Faults()
    private let random: Lock<SplitMix64>
    let sent = Lock<[RecordHTTPRequest]>([])

    init(_ server: StandInServer, faults: Faults = Faults(), seed: UInt64 = 1) {
        (self.server, self.faults) = (server, faults)
        random = Lock(SplitMix64(seed: seed))
    }

    func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
        try Task.checkCancellation()
        sent.withLock { $0.append(request) }
        func happens(_ share: Double) -> Bool {
            share > 0 && random.withLock { Double.random(in: 0..<1, using: &$0) } < share
        }
        let isCommit = request.path.hasSuffix(":commit")
        if !isCommit, happens(faults.lostReads) { throw RecordDatabaseError(.connectionLost) }
        if happens(faults.refusals) {
            let error = StandInError(code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota exceeded.")
            let other = StandInError(code: 409, status: "ABORTED", message: "Too much contention on these documents.")
            let chosen = random.withLock { $0.chance(oneIn: 2) } ? error : other
            return RecordHTTPResponse(chosen.code, chosen.json)
        }
        let body = try await request.body.bytes() ?? []
        let token = request.headers["authorization"]
        var (status, json) = await server.respond(path: request.path, body: body, token: token)
        if happens(faults.doubledRequests) {
            (status, json) = await server.respond(path: request.path, body: body, token: token)
        }
        try Task.checkCancellation()
        if isCommit, status != 200, !faults.losesRefusals { return RecordHTTPResponse(status, json) }
        if happens(faults.lostAnswers) { throw RecordDatabaseError(.connectionLost) }
        if case .list(let elements) = json, status == 200, happens(faults.errorsInLists) {
            let error = StandInError(code: 503, status: "UNAVAILABLE", message: "The service is unavailable.")
            return RecordHTTPResponse(200, .list(elements.dropLast() + [error.json]))
        }
        if happens(faults.cutAnswers) {
            var response = RecordHTTPResponse(status, json)
            let bytes = json.bytes
            response.body = RecordHTTPBody(
                Array(bytes.prefix(random.withLock { Int.random(in: 0..<bytes.count, using: &$0) })))
            return response
        }
        return RecordHTTPResponse(status, json)
    }
}
