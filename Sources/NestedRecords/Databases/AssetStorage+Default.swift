#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension AssetStorage {
    /// Throws ``RecordDatabaseError`` with the code `unsupported`.
    public func addRemoteContent(_ hash: String) async throws {
        throw RecordDatabaseError(.unsupported, reason: "the storage names no contents that another database has")
    }
}

/// A storage that computes the hash of an upload itself when it is finished: that of a service, which trusts no client.
package protocol CheckingAssetStorage: AssetStorage {}

extension AssetStorage {
    private var checksUploads: Bool {
        self is any CheckingAssetStorage || (self as? any ForwardingAssetStorage)?.base.checksUploads == true
    }

    /// Whether an upload that goes on has these bytes already, or its end will say so.
    ///
    /// The file may have changed since, or the power of the database's computer may have failed.
    package func has(_ chunk: Data, in upload: String, at offset: Int64) async throws -> Bool {
        if checksUploads { return true }
        return try await self.chunk(ofUpload: upload, at: offset) == chunk
    }
}
