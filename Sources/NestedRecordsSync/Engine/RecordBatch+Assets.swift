@_spi(Engines) import NestedRecords

extension RecordBatch {
    /// Copies the contents of assets that the batch names and its database lacks, before it is committed.
    ///
    /// The local database names a content that both sides lack, so that its record arrives. A record with it that is sent is
    /// left to the commit, which refuses it; a record of the ledger no longer names it.
    ///
    /// - Parameter transfer: Copies to the batch's database.
    /// - Returns: The batch to commit.
    /// - Throws: Errors of both databases.
    func carryingAssets(by transfer: ContentTransfer) async throws -> RecordBatch {
        var batch = self
        var known: [String: Bool] = [:]
        for position in batch.saves.indices {
            for asset in batch.saves[position].assets {
                let isPresent =
                    if let known = known[asset.hash] { known } else { try await transfer.carry(asset) }
                known[asset.hash] = isPresent
                if !isPresent, batch.saves[position].id.isReserved { batch.saves[position].removeName(of: asset) }
            }
        }
        return batch
    }
}
