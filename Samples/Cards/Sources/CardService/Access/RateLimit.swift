import HTTPTypes
import Hummingbird
import Synchronization

/// Limits the requests of each user in a minute; all requests without a known token count together.
final class RateLimit: RouterMiddleware {
    private let tokens: Tokens
    private let limit: Int
    private let counts = Mutex<(start: ContinuousClock.Instant, byUser: [String: Int])>((.now, [:]))

    init(_ tokens: Tokens, requestsPerMinute limit: Int) { (self.tokens, self.limit) = (tokens, limit) }

    func handle(
        _ request: Request, context: CardsContext,
        next: (Request, CardsContext) async throws -> Response
    ) async throws -> Response {
        let user = tokens.user(of: request) ?? ""
        let wait: Int64? = counts.withLock { counts in
            let now = ContinuousClock.now
            if now - counts.start >= .seconds(60) { counts = (now, [:]) }
            counts.byUser[user, default: 0] += 1
            guard counts.byUser[user, default: 0] > limit else { return nil }
            return 60 - (now - counts.start).components.seconds
        }
        if let wait {
            var problem = Problem(.tooManyRequests, "More than \(limit) requests came in a minute.")
            problem.headers[.retryAfter] = "\(wait)"
            throw problem
        }
        return try await next(request, context)
    }
}
