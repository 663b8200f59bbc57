import HTTPTypes
import Hummingbird

/// The users by their bearer tokens.
struct Tokens: Sendable {
    private let users: [String: String]

    init(_ users: [String: String]) { self.users = users }

    /// The user of a request; nil without a known token.
    func user(of request: Request) -> String? { user(ofHeader: request.headers[.authorization]) }

    /// The user of the header `Authorization`.
    func user(ofHeader header: String?) -> String? {
        guard let header, header.hasPrefix("Bearer ") else { return nil }
        return users[String(header.dropFirst("Bearer ".count))]
    }
}

/// Lets only requests of users through.
struct Authentication: RouterMiddleware {
    let tokens: Tokens

    func handle(
        _ request: Request, context: CardsContext,
        next: (Request, CardsContext) async throws -> Response
    ) async throws -> Response {
        guard let user = tokens.user(of: request) else {
            var problem = Problem(.unauthorized, "Send your token in the header 'Authorization: Bearer …'.")
            problem.headers[.wwwAuthenticate] = "Bearer"
            throw problem
        }
        return try await next(request, context.with(user: user))
    }
}
