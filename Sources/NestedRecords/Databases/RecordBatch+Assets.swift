extension Record {
    /// Throws if there is an asset, which a database without a storage cannot keep.
    func checkHasNoAssets() throws {
        try forEachAsset { asset, place in
            throw RecordDatabaseError(
                .missingAsset, reason: "the database keeps no assets, such as \(asset.hash)", context: place)
        }
    }
}

extension RecordBatch {
    /// The place of each content that the batch needs: the first one that names it.
    private var contentPlaces: [Record.ID: RecordContext] {
        var places: [Record.ID: RecordContext] = [:]
        for record in saves {
            record.forEachAsset { asset, place in
                if places[asset.contentID] == nil { places[asset.contentID] = place }
            }
        }
        return places
    }

    /// Commits the batch with the condition that the database has the content of each asset in it.
    ///
    /// For implementations of ``RecordDatabase/commit(_:)`` of a database with ``RecordDatabase/assets``.
    ///
    /// - Parameter commit: Commits the batch that it gets, with one more condition for each content.
    /// - Returns: The result of the closure.
    /// - Throws: ``RecordDatabaseError`` with the code `missingAsset` and the first record, field and path that names a
    ///   missing content; the errors of the closure.
    @_spi(Engines) public func withContents<Result>(
        _ commit: (RecordBatch) async throws -> Result
    ) async throws -> Result {
        let places = contentPlaces
        if places.isEmpty { return try await commit(self) }
        var batch = self
        batch.conditions += places.keys.sorted().map { VersionedID($0, version: .exists) }
        do {
            return try await commit(batch)
        } catch let error as RecordDatabaseError where error.code == .versionMismatch {
            guard let id = error.recordID, let place = places[id] else { throw error }
            throw RecordDatabaseError.missingAsset(id.name, place)
        }
    }
}

extension RecordDatabaseError {
    static func missingAsset(
        _ hash: String, _ place: RecordContext, hint: String? = "add it with store.assets before the record is saved"
    ) -> RecordDatabaseError {
        RecordDatabaseError(
            .missingAsset, reason: "the content \(hash) is not in the database", context: place, hint: hint)
    }
}
