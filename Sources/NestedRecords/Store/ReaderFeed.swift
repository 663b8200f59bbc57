/// The feed of a reader: what they may see and could see, and nothing else.
struct ReaderFeed: RecordFeed {
    let base: any RecordFeed
    let rules: ScopeRules
    let reader: String

    /// The scope over the database of the base's feed.
    let database: any RecordDatabase

    func changeToken() async throws -> ChangeToken {
        let view = try rules.view(of: reader)
        return try seal(AudienceToken(base: await base.ofAudiences().changeToken(of: view)), of: view)
    }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let view = try rules.view(of: reader)
        let page = try await base.ofAudiences().changes(of: view, since: open(token, of: view), limit: limit)
        var changes = page.changes
        changes.token = try seal(page.token, of: view)
        return changes
    }

    func waitForChanges(after token: ChangeToken) async throws {
        let view = try rules.view(of: reader)
        try await base.ofAudiences().waitForChanges(of: view, after: open(token, of: view))
    }
}

// MARK: Tokens

// The payload has the digests of the reader and of the rules, and the payload of the database's token after its length. While
// containers are listed, it also has the number before their page, the container and the record, each text after its length.

extension ReaderFeed {
    private static let digestSize = 16

    private static func digest(of text: String) -> [UInt8] {
        Array(SHA256.digest(of: Array(text.utf8)).utf8.prefix(digestSize))
    }

    private func seal(_ token: AudienceToken, of view: AudienceView) throws -> ChangeToken {
        var payload = Self.digest(of: view.reader) + Self.digest(of: view.rulesText)
        payload += UInt64(token.base.payload.count).bytes + token.base.payload
        if let listing = token.listing {
            payload += listing.start.bytes
            for id in [listing.container, listing.record] {
                let text = Array((id?.description ?? "").utf8)
                payload += UInt64(text.count).bytes + text
            }
        }
        return try ChangeToken(store: token.base.store, payload: payload)
    }

    private func open(_ token: ChangeToken, of view: AudienceView) throws -> AudienceToken {
        var rest = token.payload[...]
        func take(_ count: Int) -> [UInt8]? {
            guard count >= 0, count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func takeNumber() -> UInt64? { take(8).flatMap { UInt64(bytes: $0[...]) } }
        func takePart() -> [UInt8]? { takeNumber().flatMap { Int(exactly: $0) }.flatMap(take) }
        guard take(Self.digestSize) == Self.digest(of: view.reader) else {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherReader))
        }
        guard take(Self.digestSize) == Self.digest(of: view.rulesText) else {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.scopeChanged))
        }
        let damaged = RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore))
        guard let payload = takePart() else { throw damaged }
        var opened = AudienceToken(base: try ChangeToken(store: token.store, payload: payload))
        if rest.isEmpty { return opened }
        guard let start = takeNumber(), let container = takePart(), let record = takePart(), rest.isEmpty else {
            throw damaged
        }
        opened.listing = AudiencePlace.Listing(start: start, container: Self.id(container), record: Self.id(record))
        return opened
    }

    private static func id(_ bytes: [UInt8]) -> Record.ID? { String(validUTF8: bytes).flatMap { try? Record.ID($0) } }
}
