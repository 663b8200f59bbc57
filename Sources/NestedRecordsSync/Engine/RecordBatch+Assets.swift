@_spi(Engines) import NestedRecords

extension RecordBatch {
    /// Copies the contents of assets that the batch names and its database lacks, before it is committed.
    ///
    /// A content that both sides lack is left to the commit, which refuses a record of a caller with it; a record of the
    /// ledger no longer names it.
    ///
    /// - Parameters:
    ///   - source: The database on the other side.
    ///   - target: The database of the batch.
    /// - Returns: The batch to commit.
    /// - Throws: Errors of both databases.
    func carryingAssets(from source: any RecordDatabase, to target: any RecordDatabase) async throws -> RecordBatch {
        var batch = self
        var known: [String: Bool] = [:]
        for position in batch.saves.indices {
            for asset in batch.saves[position].assets {
                let isPresent =
                    if let known = known[asset.hash] { known } else { try await target.takes(asset, from: source) }
                known[asset.hash] = isPresent
                if !isPresent, batch.saves[position].id.isReserved { batch.saves[position].removeName(of: asset) }
            }
        }
        return batch
    }
}

extension RecordDatabase {
    /// Whether the database has a content, perhaps since now.
    fileprivate func takes(_ asset: RecordAsset, from source: any RecordDatabase) async throws -> Bool {
        guard let assets else { return false }
        if try await assets.content(asset.hash) != nil { return true }
        guard try await source.assets?.content(asset.hash) != nil else { return false }
        let bytes = RecordStore(source).assets.bytes(of: asset)
        return try await RecordStore(self).assets.add(bytes).hash == asset.hash
    }
}
