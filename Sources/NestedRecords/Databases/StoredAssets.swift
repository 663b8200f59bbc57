#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The assets of a database: their bytes in chunks of the engine, everything else in records of the database.
///
/// | record | its name | what it says |
/// | --- | --- | --- |
/// | `NestedRecords.Asset` | the hash | a content, and the upload that has its bytes; no upload if another database has them |
/// | `NestedRecords.AssetUpload` | the upload | an upload that is not finished, or is to be removed |
/// | `NestedRecords.AssetReader` | the hash, and a digest of a reader | a reader has uploaded the content |
///
/// Invariant: each upload with chunks has exactly one record, of a content or of an upload. The record of an upload is
/// written before its first chunk, and deleted after the last one is gone; one batch makes it a content, or a content an
/// upload to remove. A process may end between any two steps: what it leaves has the record of an upload, or no record if
/// the upload was collected before; ``collect(before:)`` finds both.
package struct StoredAssets: AssetStorage {
    /// The number of records in the largest batch.
    static let largestBatch = 4

    private let database: any RecordDatabase
    let chunks: any AssetChunks

    package init(_ database: any RecordDatabase, _ chunks: any AssetChunks) {
        (self.database, self.chunks) = (database, chunks)
    }

    // MARK: Uploads

    package func beginUpload() async throws -> String {
        let upload = UploadRecord.makeName()
        try await database.commit(RecordBatch(saving: [UploadRecord(upload: upload, date: Date()).record]))
        try await chunks.begin(upload)
        do {
            // A collection may have removed the upload before its chunks were begun.
            _ = try await record(of: upload)
        } catch let error as RecordDatabaseError where error.code == .unknownUpload {
            try await chunks.remove(upload)
            throw error
        }
        return upload
    }

    package func size(ofUpload upload: String) async throws -> Int64 {
        _ = try await record(of: upload)
        guard let size = try await chunks.size(of: upload) else { throw RecordDatabaseError.unknownUpload(upload) }
        return size
    }

    package func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        let size = Int64(AssetContent.chunkSize)
        guard !chunk.isEmpty, Int64(chunk.count) <= size, offset >= 0, offset.isMultiple(of: size) else {
            throw RecordDatabaseError(.invalidUpload, reason: "a chunk of \(chunk.count) bytes at the offset \(offset)")
        }
        _ = try await record(of: upload)
        if try await chunks.write(chunk, to: upload, at: offset) { return }
        guard try await chunks.size(of: upload) != nil else { throw RecordDatabaseError.unknownUpload(upload) }
        throw RecordDatabaseError(.invalidUpload, reason: "it has fewer than the \(offset) bytes before the chunk")
    }

    package func chunk(ofUpload upload: String, at offset: Int64) async throws -> Data {
        guard offset >= 0, offset.isMultiple(of: Int64(AssetContent.chunkSize)) else {
            throw RecordDatabaseError(.invalidUpload, reason: "no chunk begins at the offset \(offset)")
        }
        _ = try await record(of: upload)
        guard let bytes = try await chunks.read(upload, at: offset, count: AssetContent.chunkSize) else {
            throw RecordDatabaseError.unknownUpload(upload)
        }
        return bytes
    }

    private func record(of upload: String) async throws -> Record {
        guard let id = UploadRecord.id(of: upload),
            let record = try await database.records(for: [id]).first, UploadRecord(record)?.isRemoved == false
        else { throw RecordDatabaseError.unknownUpload(upload) }
        return record
    }

    package func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        let unfinished = try await record(of: upload)
        guard let size = try await chunks.size(of: upload) else { throw RecordDatabaseError.unknownUpload(upload) }
        guard size == digest.size else {
            throw RecordDatabaseError(
                .invalidUpload, reason: "the upload does not have the \(digest.size) bytes of its hash")
        }
        do {
            try await chunks.synchronize(upload)
        } catch {
            // The system may have dropped bytes that it could not write, and would not say so again.
            try? await cancelUpload(upload)
            throw error
        }
        while true {
            let stored = try await stored(digest.hash)
            let isIntact = try await isIntact(stored?.content)
            let kept = isIntact ? stored?.content?.upload ?? upload : upload
            var content = AssetContent(digest: digest, date: Date(), upload: kept).record
            content.metadata = stored?.record.metadata
            var batch = RecordBatch(saving: [content])
            var left: String?
            if isIntact {
                batch.saves.append(
                    UploadRecord(upload: upload, date: .distantPast, isRemoved: true).record(over: unfinished))
                left = upload
            } else {
                batch.deletions = [RecordBatch.VersionedID(removing: unfinished)]
                if let old = stored?.content?.upload {
                    batch.saves.append(UploadRecord(upload: old, date: .distantPast, isRemoved: true).record)
                    left = old
                }
            }
            do {
                try await database.commit(batch)
            } catch let error as RecordDatabaseError where error.isOvertakenByAnother {
                // Another writer has added or removed the content.
                _ = try await record(of: upload)
                try Task.checkCancellation()
                continue
            }
            // Another writer or a collection may do it otherwise: the content is there.
            if let left { try? await remove(left) }
            return
        }
    }

    /// Whether a content is there, with all its bytes: a damaged one is replaced by an upload of the same bytes.
    private func isIntact(_ content: AssetContent?) async throws -> Bool {
        guard let content else { return false }
        for offset in content.offsets {
            do {
                guard try await chunk(of: content, at: offset) != nil else { return false }
            } catch let error as RecordDatabaseError where error.code == .corrupt {
                return false
            }
        }
        return true
    }

    package func cancelUpload(_ upload: String) async throws {
        guard let id = UploadRecord.id(of: upload), let record = try await database.records(for: [id]).first else {
            return
        }
        do {
            // The writer of the next chunk finds it removed.
            let removed = UploadRecord(upload: upload, date: .distantPast, isRemoved: true).record(over: record)
            try await database.commit(RecordBatch(saving: [removed]))
        } catch let error as RecordDatabaseError where error.kind == .conflict {
            return try await cancelUpload(upload)
        }
        try await remove(upload)
    }

    /// Removes the chunks of an upload that is marked as removed, and then its record.
    private func remove(_ upload: String) async throws {
        try await chunks.remove(upload)
        guard let id = UploadRecord.id(of: upload) else { return }
        try await database.commit(RecordBatch(deletingAnyVersionOf: [id]))
    }

    // MARK: Contents

    package func content(_ hash: String) async throws -> AssetContent? { try await stored(hash)?.content }

    /// The record of a content, and the content unless another database has its bytes.
    private func stored(_ hash: String) async throws -> (content: AssetContent?, record: Record)? {
        guard RecordAsset.isHash(hash) else { return nil }
        let id = Record.ID(checkedType: AssetContent.recordType, name: hash)
        guard let record = try await database.records(for: [id]).first else { return nil }
        return (try AssetContent(record), record)
    }

    package func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        let count = Int(min(max(0, content.size - offset), Int64(AssetContent.chunkSize)))
        if let bytes = try await chunks.read(content.upload, at: offset, count: count) {
            if content.digest.matches(bytes, at: offset) { return bytes }
        }
        // It may have been removed in between, or replaced.
        if try await self.content(content.hash)?.upload != content.upload { return nil }
        throw RecordDatabaseError(
            .corrupt,
            reason: "the asset \(content.hash) is damaged between the bytes \(offset) and \(offset + Int64(count))",
            recordID: content.recordID)
    }

    package func addRemoteContent(_ hash: String) async throws {
        guard RecordAsset.isHash(hash) else { return }
        while true {
            let stored = try await stored(hash)
            if stored?.content != nil { return }
            var record = AssetContent.elsewhere(hash, Date())
            record.metadata = stored?.record.metadata
            do {
                _ = try await database.commit(RecordBatch(saving: [record]))
                return
            } catch let error as RecordDatabaseError where error.isOvertakenByAnother {
                try Task.checkCancellation()
            }
        }
    }

    package func contents(after hash: String?, limit: Int) async throws -> [AssetContent] {
        var found: [AssetContent] = []
        var last = hash
        while found.count < limit {
            let count = limit - found.count
            let names = try await database.versions(ofType: AssetContent.recordType, after: last, limit: count)
            let records = try await database.presentRecords(for: names.map(\.id))
            found += try records.compactMap { try AssetContent($0) }.sorted { $0.hash < $1.hash }
            if names.count < count { break }
            last = names.last?.id.name
        }
        return found
    }

    package func collect(before date: Date) async throws -> AssetCollection {
        var found = AssetCollection()
        let contents = try await old(AssetContent.recordType, before: date)
        for ids in contents.batches(of: 100) {
            let used = try await database.referrers(of: Array(ids))
            for id in ids where used[id] == nil {
                guard let size = try await removeContent(id, addedBefore: date) else { continue }
                found.contentCount += 1
                found.byteCount += size
            }
        }
        for id in try await old(UploadRecord.recordType, before: date) {
            let isRemoved = try await database.records(for: [id]).first.flatMap(UploadRecord.init)?.isRemoved
            try await cancelUpload(id.name)
            if isRemoved == false { found.uploadCount += 1 }
        }
        for ids in try await old(AssetReaders.recordType, before: date).batches(of: min(100, database.batchLimit)) {
            try await database.commit(RecordBatch(deletingAnyVersionOf: Array(ids)))
        }
        found.uploadCount += try await removeUploadsWithoutRecord()
        return found
    }

    /// Removes the chunks of uploads without a record.
    ///
    /// - Returns: Their number.
    private func removeUploadsWithoutRecord() async throws -> Int {
        var left = Set(try await chunks.uploads())
        // The contents come last: an upload that is finished between the lists becomes one. A content that becomes an upload
        // between them is one to remove.
        for type in [UploadRecord.recordType, AssetContent.recordType] where !left.isEmpty {
            for try await record in database.storedRecords(ofType: type) {
                let upload = type == UploadRecord.recordType ? record.id.name : try AssetContent(record)?.upload
                if let upload { left.remove(upload) }
            }
        }
        for upload in left { try await chunks.remove(upload) }
        return left.count
    }

    private func old(_ type: String, before date: Date) async throws -> [Record.ID] {
        var found: [Record.ID] = []
        for try await record in database.storedRecords(ofType: type) {
            if case .date(let added)? = record[AssetContent.dateField], added >= date { continue }
            found.append(record.id)
        }
        return found
    }

    /// - Returns: The number of bytes in this database; nil if the content is used or was added again.
    private func removeContent(_ id: Record.ID, addedBefore date: Date) async throws -> Int64? {
        guard let record = try await database.records(for: [id]).first else { return nil }
        if case .date(let added)? = record[AssetContent.dateField], added >= date { return nil }
        let content = try AssetContent(record)
        var batch = RecordBatch()
        if let content {
            batch.saves = [UploadRecord(upload: content.upload, date: .distantPast, isRemoved: true).record]
        }
        batch.deletions = [RecordBatch.VersionedID(removing: record)]
        batch.allowedReferrers[id] = []
        do {
            try await database.commit(batch)
        } catch let error as RecordDatabaseError where error.isOvertakenByAnother {
            return nil
        }
        guard let content else { return 0 }
        try await remove(content.upload)
        return content.size
    }
}

extension RecordDatabaseError {
    fileprivate var isOvertakenByAnother: Bool { kind == .conflict || kind == .alreadyExists }

    static func unknownUpload(_ upload: String) -> RecordDatabaseError {
        RecordDatabaseError(.unknownUpload, reason: "\(upload) was finished, cancelled or removed, or never begun")
    }
}
