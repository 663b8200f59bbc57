import NestedRecords

/// Copies the records of one database to another one, page by page, and then compares both.
struct RecordCopy {
    /// The records, and what errors call them.
    let source: any RecordDatabase
    let sourceName: String

    /// Where they go, and what errors call it.
    let target: any RecordDatabase
    let targetName: String

    /// Whether a record replaces one with the same ID and other content.
    let overwrites: Bool

    /// What was done.
    private(set) var counts = Counts()

    /// The content of the source, as it was when it was copied.
    private var digest = RecordDigest()
    private var writer = RecordWriter()

    /// What became of the records.
    struct Counts: Equatable, Sendable {
        /// How many were saved that were not there.
        var copied = 0

        /// How many were there with the same content.
        var present = 0

        /// How many took the place of another one.
        var replaced = 0

        /// How many were saved.
        var saved: Int { copied + replaced }
    }

    init(
        from source: any RecordDatabase, named sourceName: String, to target: any RecordDatabase,
        named targetName: String, overwrites: Bool
    ) {
        (self.source, self.sourceName) = (source, sourceName)
        (self.target, self.targetName) = (target, targetName)
        self.overwrites = overwrites
    }

    /// Saves the records that the target does not have: a batch for each page.
    ///
    /// - Parameter progress: The bar to count the records on.
    /// - Throws: ``InputError`` for a record that the target has with other content, unless that is overwritten, and
    ///   what the databases throw.
    mutating func copy(progress: ProgressBar) async throws {
        var pages = RecordPages(of: source.records(ofType: nil), progress: progress)
        while let (page, found) = try await pages.next(with: target) {
            // What others save meanwhile is a conflict.
            var batch = RecordBatch(savePolicy: .ifUnchanged)
            var done = counts
            for var record in page {
                if record.hasServerTimestamp {
                    throw InputError(
                        input: sourceName,
                        reason: "\(record.id) has the time of saving in a field, which only a save sets: use "
                            + "'records import'")
                }
                let bytes = try record.canonicalBytes(&writer)
                digest.add(bytes)
                if let present = found[record.id] {
                    if try present.canonicalBytes(&writer) == bytes {
                        done.present += 1
                        continue
                    }
                    guard overwrites else {
                        throw InputError(
                            input: targetName,
                            reason: "\(record.id) exists with other content than in \(sourceName); --overwrite "
                                + "replaces such records, and 'records diff' lists them")
                    }
                    done.replaced += 1
                } else {
                    done.copied += 1
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
    /// - Parameter progress: The bar to count the records on.
    /// - Returns: The number and the digest of the records, which are those of both sides.
    /// - Throws: ``InputError`` for a difference, and what the databases throw.
    mutating func verify(progress: ProgressBar) async throws -> RecordDigest {
        var verified = RecordDigest()
        var pages = RecordPages(of: source.records(ofType: nil), progress: progress)
        while let (page, found) = try await pages.next(with: target) {
            for record in page {
                guard let present = found[record.id] else { throw difference("has no \(record.id)") }
                let bytes = try record.canonicalBytes(&writer)
                guard try present.canonicalBytes(&writer) == bytes else {
                    throw difference("has \(record.id) with other content than \(sourceName)")
                }
                verified.add(bytes)
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
