import Hummingbird
import Logging

/// Answers errors as problems, and writes one line of the log for each request.
struct ProblemMiddleware: RouterMiddleware {
    let tokens: Tokens

    func handle(
        _ request: Request, context: CardsContext,
        next: (Request, CardsContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var metadata: Logger.Metadata = [
            "method": "\(request.method)", "path": "\(request.uri.path)",
        ]
        metadata["user"] = tokens.user(of: request).map { "\($0)" }
        let response: Response
        do {
            response = try await next(request, context)
        } catch {
            let problem = Problem(of: error)
            if problem.status.kind == .serverError { metadata["error"] = "\(error)" }
            response = try problem.response()
        }
        metadata["status"] = "\(response.status.code)"
        metadata["duration"] = "\(ContinuousClock.now - start)"
        context.logger.log(
            level: response.status.kind == .serverError ? .error : .info, "request", metadata: metadata)
        return response
    }
}
