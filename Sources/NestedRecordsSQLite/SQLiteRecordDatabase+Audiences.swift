#if SQLite
@_spi(Engines) package import NestedRecords

extension SQLiteRecordDatabase: AudienceFeed {
    package func changeToken(of view: AudienceView) async throws -> ChangeToken {
        try await read { connection in
            try connection.checkAudiences(of: view, since: connection.lastBatch().number)
            return try connection.token()
        }
    }

    package func changes(
        of view: AudienceView, since token: AudienceToken, limit: Int
    ) async throws -> AudienceChanges {
        try await read { try $0.changes(of: view, since: token, limit: limit) }
    }
}

extension Connection {
    /// - Throws: The reason why the changes of a view since a batch cannot be reported.
    fileprivate func checkAudiences(of view: AudienceView, since batch: Int64) throws {
        let list = try indexList()
        for need in view.needs { if let damage = list.damagedAudiences[need.recordType] { throw damage } }
        if let refusal = list.audiences.refusal(of: view, since: UInt64(clamping: batch)) {
            throw RecordDatabaseError(refusal)
        }
        if try batch < departureState().oldest { throw RecordDatabaseError(.changeTokenExpired, .expiry(.purged)) }
    }

    fileprivate func changes(of view: AudienceView, since token: AudienceToken, limit: Int) throws -> AudienceChanges {
        let start = try position(of: token.base)
        try checkAudiences(of: view, since: start)
        let last = UInt64(clamping: try lastBatch().number)
        let place = AudiencePlace(number: UInt64(clamping: start), listing: token.listing)
        let page = try StoredAudiences(connection: self).page(of: view, since: place, until: last, limit: limit)
        let end = Int64(clamping: page.place.number)
        guard let mark = try end == start ? nil : mark(of: end) else {
            return AudienceChanges(page, records: try records(for: page.saved), token: token.base)
        }
        let next = ChangeToken(
            store: token.base.store, position: page.place.number, mark: UInt64(bitPattern: mark))
        return AudienceChanges(page, records: try records(for: page.saved), token: next)
    }
}
#endif
