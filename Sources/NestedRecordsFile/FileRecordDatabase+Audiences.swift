@_spi(Engines) package import NestedRecords

extension FileRecordDatabase: AudienceFeed {
    package func changeToken(of view: AudienceView) async throws -> ChangeToken {
        try await store.reading { [audiences = store.audiences] _ in try await audiences.changeToken(of: view) }
    }

    package func changes(
        of view: AudienceView, since token: AudienceToken, limit: Int
    ) async throws -> AudienceChanges {
        try await store.reading { [audiences = store.audiences] _ in
            try await audiences.changes(of: view, since: token, limit: limit)
        }
    }

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
}
