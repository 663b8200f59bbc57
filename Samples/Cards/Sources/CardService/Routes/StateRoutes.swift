import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

/// The routes for the programs that watch the service, which need no token.
struct StateRoutes {
    let readiness: Readiness
    let streams: OpenStreams

    func add(to router: Router<CardsContext>) {
        // Alive: the process answers.
        router.get("health") { _, _ in try Response(json: ["eventStreams": streams.count]) }
        // Ready: the database answers too.
        router.get("ready") { _, _ in
            guard await readiness.isReady else {
                throw Problem(.serviceUnavailable, "The database does not answer.")
            }
            return try Response(json: ["status": "ready"])
        }
        router.get("metrics") { _, _ in
            guard let metrics = MetricsSystem.factory as? TextMetrics else { throw Problem(.notFound) }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
        }
    }
}
