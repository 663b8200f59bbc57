import Hummingbird

/// The routes for the programs that watch the service, which need no token.
struct StateRoutes {
    let access: Access
    let streams: OpenStreams

    func add(to router: Router<CardsContext>) {
        // Alive: the process answers.
        router.get("health") { _, _ in
            try Response(json: JSON.object(["status": .string("ok"), "eventStreams": .integer(Int64(streams.count))]))
        }
        // Ready: the database answers too.
        router.get("ready") { _, _ in
            try await access.check()
            return try Response(json: JSON.object(["status": .string("ready")]))
        }
    }
}
