import NestedRecords

/// A token until shortly before it expires.
actor TokenCache {
    struct Token: Sendable {
        let text: String
        let lifetime: Duration
    }

    /// The time before the end of a token from which on another is requested.
    private static let margin = Duration.seconds(60)

    private let fetch: @Sendable () async throws -> Token
    private var kept: (text: String, end: ContinuousClock.Instant)?
    private var pending: Task<Token, any Error>?

    init(_ fetch: @escaping @Sendable () async throws -> Token) { self.fetch = fetch }

    /// A token other than a refused one; concurrent calls wait for one request.
    func token(refused: String?) async throws -> String {
        if let kept, kept.text != refused, kept.end > .now { return kept.text }
        let task = pending ?? Task { [fetch] in try await fetch() }
        pending = task
        do {
            let token = try await task.value
            if pending == task { pending = nil }
            kept = (token.text, .now + token.lifetime - Self.margin)
            return token.text
        } catch {
            if pending == task { pending = nil }
            throw error
        }
    }
}
