@_spi(Engines) import NestedRecords
import NestedRecordsSync

/// Copies the records of one database to another page by page, then compares both.
struct RecordCopy {
    /// The source, and its name in errors.
    let source: any RecordDatabase
    let sourceName: String

    /// The target, and its name in errors.
    let target: any RecordDatabase
    let targetName: String

    /// Whether a record replaces a record with the same ID and other content.
    let overwrites: Bool

    /// Whether the target has synchronizations of its own, whose state is of its records alone.
    let isSynchronized: Bool

    /// The counts so far.
    private(set) var counts = Counts()

    /// The digest of the copied source records.
    private var digest = RecordDigest()
    private var writer = RecordWriter()

    /// The numbers of records by outcome, without those that the library and `nest` need.
    struct Counts: Equatable, Sendable {
        /// The number of records that were new in the target.
        var copied = 0

        /// The number of records that existed with the same content.
        var present = 0

        /// The number of records that replaced other content.
        var replaced = 0

        /// The number of saved records.
        var saved: Int { copied + replaced }
    }

    init(
        from source: any RecordDatabase, named sourceName: String, to target: any RecordDatabase,
        named targetName: String, overwrites: Bool, isSynchronized: Bool = false
    ) {
        (self.source, self.sourceName) = (source, sourceName)
        (self.target, self.targetName) = (target, targetName)
        (self.overwrites, self.isSynchronized) = (overwrites, isSynchronized)
    }

    /// The records of the source that are copied.
    ///
    /// Each database has its own records of assets, whose contents are copied, and of steps to undo. The state of
    /// synchronizations is only copied to a database that has none.
    private var records: RecordSequence {
        source.records(ofType: nil, including: .system).filtered { [isSynchronized] record in
            !record.id.isOfAssets && !record.id.isOfUndo && !(isSynchronized && record.id.isOfSynchronization)
        }
    }

    /// Adds the contents of assets that the target lacks.
    ///
    /// - Throws: ``InputError`` if the source has contents and the target keeps none; errors of the databases.
    func copyAssets() async throws {
        if source.assets == nil { return }
        let (from, to) = (RecordStore(source).assets, RecordStore(target).assets)
        try await from.forEachContent { content in
            if target.assets == nil {
                throw InputError(input: targetName, reason: "keeps no assets, and \(sourceName) has some")
            }
            let asset = RecordAsset(content.digest, contentType: nil, fileName: nil)
            if try await !to.exists(asset) { _ = try await to.add(from.bytes(of: asset)) }
        }
    }

    /// Saves the records that the target lacks: a batch for each page.
    ///
    /// - Throws: ``InputError`` for a record that the target has with other content, unless it is overwritten, and
    ///   errors of the databases.
    mutating func copy(progress: ProgressBar) async throws {
        var limits = target.limits
        // One record where a batch is not atomic.
        limits.batchCount = target.batchLimit
        var pages = RecordPages(of: records, for: limits, progress: progress)
        while let (page, found) = try await pages.next(with: target) {
            // A concurrent save by another writer is a conflict.
            var batch = RecordBatch(savePolicy: .ifUnchanged)
            var done = counts
            for var record in page {
                if record.hasServerTimestamp {
                    throw InputError(
                        input: sourceName,
                        reason: "\(record.id) has the time of saving in a field, which only a save sets: "
                            + "copy lines of the records")
                }
                let bytes = try record.canonicalBytes(&writer)
                let count = record.id.isReserved ? 0 : 1
                digest.add(bytes, count: count)
                if let present = found[record.id] {
                    if try present.canonicalBytes(&writer) == bytes {
                        done.present += count
                        continue
                    }
                    guard overwrites else {
                        throw InputError.replacing([record.id], in: targetName, by: sourceName)
                    }
                    done.replaced += count
                } else {
                    done.copied += count
                }
                record.metadata = found[record.id]?.metadata
                batch.saves.append(record)
            }
            if !batch.isEmpty { try await target.commit(batch) }
            counts = done
        }
    }

    /// Reads all records again and compares them with those of the target.
    ///
    /// - Returns: The number and the digest of the records, equal on both sides.
    /// - Throws: ``InputError`` for a difference, and errors of the databases.
    mutating func verify(progress: ProgressBar) async throws -> RecordDigest {
        var verified = RecordDigest()
        var pages = RecordPages(of: records, progress: progress)
        while let (page, found) = try await pages.next(with: target) {
            for record in page {
                guard let present = found[record.id] else { throw difference("has no \(record.id)") }
                let bytes = try record.canonicalBytes(&writer)
                guard try present.canonicalBytes(&writer) == bytes else {
                    throw difference("has \(record.id) with other content than \(sourceName)")
                }
                verified.add(bytes, count: record.id.isReserved ? 0 : 1)
            }
        }
        guard verified == digest else {
            throw InputError(
                input: sourceName, reason: "changed during the copy; verification failed, run copy again")
        }
        return verified
    }

    private func difference(_ what: String) -> InputError {
        InputError(
            input: targetName,
            reason: "\(what): a database changed during the copy; verification failed, run copy again")
    }
}
