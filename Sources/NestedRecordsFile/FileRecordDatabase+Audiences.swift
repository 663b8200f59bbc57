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
}
