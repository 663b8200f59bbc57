/// A feed that also reports the changes of what one reader may see, for databases with audiences.
package protocol AudienceFeed: RecordFeed {
    /// Returns the current position, from which on the changes of a view are known.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` if an audience is not declared; errors of the database.
    func changeToken(of view: AudienceView) async throws -> ChangeToken

    /// Returns the changes of what a reader may see.
    ///
    /// - Parameters:
    ///   - view: What the reader follows.
    ///   - token: The position to start after.
    ///   - limit: The number of records after which a page ends, at least one. A page is larger if its last batch is.
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired`, also for a token from before a declaration; otherwise as
    ///   ``changeToken(of:)``.
    func changes(of view: AudienceView, since token: AudienceToken, limit: Int) async throws -> AudienceChanges

    /// Waits for a change of what a reader may see; changes of strangers' records do not end the wait.
    ///
    /// - Throws: As ``changes(of:since:limit:)``, and `CancellationError`.
    func waitForChanges(of view: AudienceView, after token: AudienceToken) async throws

    /// Ends what the declaration of an audience has begun, by this or another program.
    func completeAudience(ofType type: String) async throws
}

extension AudienceFeed {
    package func waitForChanges(of view: AudienceView, after token: AudienceToken) async throws {
        var token = token
        while true {
            let page = try await changes(of: view, since: token, limit: 1)
            guard page.changes.isEmpty, page.changes.isComplete else { return }
            // The changes of strangers need not be passed again.
            token = page.token
            try await waitForChanges(after: token.base)
        }
    }

    package func completeAudience(ofType type: String) async throws {}
}

/// A position in the changes of what a reader may see.
package struct AudienceToken: Sendable, Hashable {
    /// The position in the history of the database.
    package var base: ChangeToken

    package var listing: AudiencePlace.Listing?

    package init(base: ChangeToken, listing: AudiencePlace.Listing? = nil) {
        (self.base, self.listing) = (base, listing)
    }
}

/// A page of the changes of what a reader may see.
package struct AudienceChanges: Sendable {
    /// The changes; their token is that of the database.
    package var changes: RecordChanges

    package var listing: AudiencePlace.Listing?

    package var token: AudienceToken { AudienceToken(base: changes.token, listing: listing) }

    /// - Parameters:
    ///   - page: The page.
    ///   - records: The saved records as they were read. One that is missing has changed again, so that a later page has it.
    ///   - token: The position after the page.
    package init(_ page: AudiencePage, records: [Record], token: ChangeToken) {
        changes = RecordChanges(
            saved: records, deleted: page.deleted, departed: page.departed, left: page.left, token: token,
            isComplete: page.isComplete)
        listing = page.place.listing
        if records.count == page.saved.count { return }
        let found = Set(records.map(\.id))
        for (id, isDeletion) in page.replaced.sorted(by: { $0.key < $1.key }) where !found.contains(id) {
            if isDeletion { changes.deleted.append(id) } else { changes.departed.append(id) }
        }
    }
}

extension RecordChanges {
    /// The records that a reader no longer has, without the contents of ``left``.
    package var removed: [Record.ID] { departed.isEmpty && left.isEmpty ? deleted : deleted + departed + left }
}

extension RecordFeed {
    /// The feed of a database with audiences.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` and the missing capability.
    package func ofAudiences() throws -> any AudienceFeed {
        guard let feed = self as? any AudienceFeed, database.capabilities.contains(.audiences) else {
            throw RecordDatabaseError.unsupported(.audiences, for: "the feed of a reader")
        }
        return feed
    }
}

extension RecordDatabaseError {
    package init(_ refusal: DeclaredAudiences.Refusal) {
        switch refusal {
        case .purged: self.init(.changeTokenExpired, .expiry(.purged))
        case .undeclared(let need):
            self.init(
                .unsupported, reason: "the feed of a reader needs an audience of the type '\(need.recordType)'",
                hint: "declare it: database.declare(\(need.declaration))")
        }
    }
}

// MARK: Declaring

extension RecordDatabase {
    /// Declares an audience, in place of another declaration for the type.
    ///
    /// The feeds of readers report changes from the declaration on; the tokens of earlier moments expire. A declaration that
    /// exists already changes nothing.
    ///
    /// - Parameter audience: Which field says who may see the records of a type.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` without ``RecordCapabilities/audiences``, and with the
    ///   code `invalidOptions` for a reserved type, a container of its own type, or an attribute other than the name;
    ///   errors of the database.
    /// - Complexity: O(*n*) for *n* records of the type.
    public func declare(_ audience: RecordAudience) async throws {
        try require(.audiences, for: "the declaration of an audience")
        if let problem = audience.problem {
            throw RecordDatabaseError(.invalidOptions, reason: "\(audience): \(problem)")
        }
        let known = try await records(for: [audience.record.id])
        if known.first.flatMap(RecordAudience.init) != audience {
            try await commit(RecordBatch(saving: [audience.record], savePolicy: .overwrite))
        }
        try await feed?.ofAudiences().completeAudience(ofType: audience.recordType)
    }

    /// Ends the audience of a type, so that readers with a rule for it no longer have a feed.
    ///
    /// - Parameter type: The record type.
    /// - Throws: The errors of ``commit(_:)``.
    public func removeAudience(ofType type: String) async throws {
        try await commit(RecordBatch(deletingAnyVersionOf: [RecordAudience.recordID(ofType: type)]))
    }

    /// Returns the declared audiences, in the order of their types.
    ///
    /// - Throws: Errors of the database.
    public func audiences() async throws -> [RecordAudience] {
        var found: [RecordAudience] = []
        for try await record in storedRecords(ofType: RecordAudience.recordType) {
            if let audience = RecordAudience(record) { found.append(audience) }
        }
        return found.sorted { $0.recordType < $1.recordType }
    }
}
