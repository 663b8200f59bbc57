extension AssetStorage {
    /// Throws ``RecordDatabaseError`` with the code `unsupported`.
    public func addRemoteContent(_ hash: String) async throws {
        throw RecordDatabaseError(.unsupported, reason: "the storage names no contents that another database has")
    }
}
