import Hummingbird
import Logging

/// Answers errors as problems, and writes one line of the log for each request.
///
/// The calls of the database get the logger of the request, with its ID and user.
struct ProblemMiddleware: RouterMiddleware {
    let tokens: Tokens

    func handle(
        _ request: Request, context: CardsContext,
        next: (Request, CardsContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var logger = context.logger
        logger[metadataKey: "user"] = tokens.user(of: request).map { "\($0)" }
        var metadata: Logger.Metadata = ["method": "\(request.method)", "path": "\(request.uri.path)"]
        let response: Response
        do {
            response = try await RequestLog.$logger.withValue(logger) { try await next(request, context) }
        } catch {
            metadata["error"] = Problem(of: error).status.kind == .serverError ? "\(error)" : nil
            response = try Problem(of: error).response()
        }
        (metadata["status"], metadata["duration"]) = ("\(response.status.code)", "\(ContinuousClock.now - start)")
        logger.log(level: response.status.kind == .serverError ? .error : .info, "request", metadata: metadata)
        return response
    }
}
