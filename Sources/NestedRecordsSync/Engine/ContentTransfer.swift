@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Copies the contents of assets from one database of a synchronization to the other.
///
/// The upload of a content of more than ``SyncEnvironment/wholeSize`` bytes is in the ledger: after it was cut off, the next
/// attempt goes on where it ended.
struct ContentTransfer {
    let context: SyncContext

    /// Whether contents go to the local database.
    let isPull: Bool

    private var source: any RecordDatabase { isPull ? context.remote : context.local }
    private var target: any RecordDatabase { isPull ? context.local : context.remote }

    /// Copies a content unless the target has it, or lets the local database name it.
    ///
    /// - Parameter asset: The asset.
    /// - Returns: Whether records of the target may name it.
    /// - Throws: Errors of both databases.
    func carry(_ asset: RecordAsset) async throws -> Bool {
        guard let storage = target.assets else { return false }
        if try await storage.content(asset.hash) != nil {
            // The end of an upload may not have been acknowledged.
            if isResumed(asset.size) { try await removeEntry(of: asset.hash) }
            return true
        }
        do {
            if !isPull || context.options.contents == .atOnce, try await copyNow(asset.hash) { return true }
        } catch let error where isPull && error.isDamagedContent {
            // Its record arrives nevertheless; reading it is an error here too.
        }
        guard isPull else { return false }
        try await storage.addRemoteContent(asset.hash)
        return true
    }

    /// Copies a content that the target lacks.
    ///
    /// - Returns: False if the source lacks it too.
    func copyNow(_ hash: String) async throws -> Bool {
        guard let storage = target.assets, let contents = source.assets, let content = try await contents.content(hash)
        else { return false }
        return try await copy(content, from: contents, to: storage)
    }

    private func copy(
        _ content: AssetContent, from contents: any AssetStorage, to storage: any AssetStorage
    ) async throws -> Bool {
        let isResumed = isResumed(content.size)
        let (upload, present) = try await isResumed ? resume(content.hash, storage) : (storage.beginUpload(), 0)
        do {
            let isWhole = try await send(content, after: present, from: contents, to: storage, upload)
            if !isWhole { await cancel(upload, of: storage) }
            if isResumed { try await removeEntry(of: content.hash) }
            if isWhole { return true }
        } catch {
            // An attempt goes on after the end of a connection, of the task or of the space on a disk.
            let code = (error as? RecordDatabaseError)?.code
            let isOver = [.corrupt, .unknownUpload, .invalidUpload, .assetTooLarge].contains(code)
            if !isResumed || isOver {
                // Another copy of the same content may have finished the upload.
                let isThere = isOver ? try await storage.content(content.hash) != nil : false
                if !isThere { await cancel(upload, of: storage) }
                if isResumed { try? await removeEntry(of: content.hash) }
                if isThere { return true }
            }
            // A chunk that this side has lost, for instance with its power, is no damage of the other side.
            guard code == .corrupt, isPull, present > 0 else { throw error }
            return try await copy(content, from: contents, to: storage)
        }
        // The source has removed it, or has another upload of the same bytes.
        guard let other = try await contents.content(content.hash) else { return false }
        return try await copy(other, from: contents, to: storage)
    }

    /// Sends the chunks that an upload lacks, and finishes it.
    ///
    /// - Returns: False if the source no longer has the content.
    private func send(
        _ content: AssetContent, after present: Int64, from contents: any AssetStorage, to storage: any AssetStorage,
        _ upload: String
    ) async throws -> Bool {
        var hasher = AssetHasher()
        for offset in content.offsets {
            try Task.checkCancellation()
            var isPresent = offset < present
            // The hash needs all bytes: those that the upload has are read from the local side.
            let chunk =
                isPresent && isPull
                ? try await storage.chunk(ofUpload: upload, at: offset)
                : try await contents.chunk(of: content, at: offset)
            guard let chunk else { return false }
            if isPresent, !isPull { isPresent = try await storage.has(chunk, in: upload, at: offset) }
            if !isPresent { try await storage.append(chunk, toUpload: upload, at: offset) }
            hasher.add(chunk)
        }
        guard hasher.digest.hash == content.hash else {
            throw RecordDatabaseError(
                .corrupt, reason: "the bytes of the asset \(content.hash) have another hash",
                recordID: content.recordID)
        }
        try await storage.finishUpload(upload, as: hasher.digest)
        return true
    }

    private func cancel(_ upload: String, of storage: any AssetStorage) async {
        // Also if the task is cancelled.
        await Task { try? await storage.cancelUpload(upload) }.value
    }

    // MARK: The ledger

    private func isResumed(_ size: Int64) -> Bool { size > context.environment.wholeSize }

    /// The upload of an attempt that was cut off, and the number of bytes in its whole chunks; else a new upload.
    private func resume(_ hash: String, _ storage: any AssetStorage) async throws -> (upload: String, size: Int64) {
        let id = try entryID(of: hash)
        if let entry = try await context.local.record(for: id) {
            let upload = try entry.requiredString("upload")
            do {
                let size = try await storage.size(ofUpload: upload)
                let chunk = Int64(AssetContent.chunkSize)
                return (upload, size / chunk * chunk)
            } catch RecordDatabaseError.Code.unknownUpload {
                // It was collected.
            }
        }
        let upload = try await storage.beginUpload()
        let entry = try Record(id: id, fields: ["upload": .string(upload)])
        var batch = RecordBatch(saving: [entry], savePolicy: .overwrite)
        batch.deletions = try await oldEntries(except: id).map { RecordBatch.VersionedID($0, version: .any) }
        _ = try await context.local.commit(batch)
        return (upload, 0)
    }

    /// Entries that are more than a day old, as many as a batch takes: their contents may no longer be named.
    private func oldEntries(except id: Record.ID) async throws -> [Record.ID] {
        let now = context.environment.now()
        var old: [Record.ID] = []
        for try await entry in context.local.records(ofType: context.names.uploadType) where entry.id != id {
            guard let date = entry.metadata?.modificationDate, date < now.addingTimeInterval(-86_400) else { continue }
            old.append(entry.id)
            if old.count == context.localCount { break }
        }
        return old
    }

    private func entryID(of hash: String) throws -> Record.ID {
        try Record.ID(type: context.names.uploadType, name: hash + (isPull ? "-pull" : "-push"))
    }

    private func removeEntry(of hash: String) async throws {
        let entry = try entryID(of: hash)
        guard try await context.local.record(for: entry) != nil else { return }
        _ = try await context.local.commit(RecordBatch(deletingAnyVersionOf: [entry]))
    }
}

/// The contents of the local database, and those of the remote one, which are copied when they are read.
struct SyncedAssets: ForwardingAssetStorage {
    let base: any AssetStorage
    let transfer: ContentTransfer

    func content(_ hash: String) async throws -> AssetContent? {
        if let content = try await base.content(hash) { return content }
        return try await transfer.copyNow(hash) ? base.content(hash) : nil
    }
}
