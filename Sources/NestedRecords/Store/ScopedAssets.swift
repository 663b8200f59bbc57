#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The assets of a database as a scope shows them: those that a visible record names, and those that its reader has
/// uploaded.
///
/// An upload belongs to those who know its name, which no caller can guess.
struct ScopedAssets: ForwardingAssetStorage {
    let base: any AssetStorage
    let scope: ScopedRecordDatabase

    func beginUpload() async throws -> String {
        guard scope.reader != nil else {
            throw RecordDatabaseError(
                .unsupported, reason: "a scope without a reader takes no assets", hint: "use scoped(for:)")
        }
        return try await base.beginUpload()
    }

    /// Finishes the upload, and notes that the reader has the content.
    func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        try await base.finishUpload(upload, as: digest)
        try await scope.noteUpload(of: digest.hash)
    }

    func addRemoteContent(_ hash: String) async throws {
        throw RecordDatabaseError(.unsupported, reason: "a scope names no contents that its database lacks")
    }

    func content(_ hash: String) async throws -> AssetContent? {
        guard RecordAsset.isHash(hash), try await scope.shows(contents: [hash]).contains(hash) else { return nil }
        return try await base.content(hash)
    }

    func contents(after hash: String?, limit: Int) async throws -> [AssetContent] { throw refusal }

    func collect(before date: Date) async throws -> AssetCollection { throw refusal }

    private var refusal: RecordDatabaseError {
        RecordDatabaseError(.unsupported, reason: "a scope does not list or collect the contents of its database")
    }
}

extension ScopedRecordDatabase {
    /// Those of some contents that a visible record names, or that the reader has uploaded.
    ///
    /// The calls of the database are the same for a content that only hidden records name and for one that does not exist:
    /// by their time, a reader could otherwise find out which files others have. Only more hidden records than one call
    /// fetches take more calls.
    func shows(contents hashes: Set<String>) async throws -> Set<String> {
        let ids = hashes.sorted().map { Record.ID(checkedType: AssetContent.recordType, name: $0) }
        var visible: Set<String> = []
        if let reader {
            for batch in ids.batches(of: limits.batchCount) {
                let notes = try await base.records(for: batch.map { AssetReaders.id(of: $0.name, reader) })
                visible.formUnion(notes.map { String($0.id.name.prefix(64)) })
            }
        }
        let found = try await base.referrers(of: ids)
        for id in ids where !visible.contains(id.name) {
            let holders = Set((found[id] ?? []).map(\.record)).sorted()
            // One visible record is enough, which is mostly among the first.
            let first = Array(holders.prefix(100))
            for part in [first, Array(holders.dropFirst(first.count))] where !visible.contains(id.name) {
                let shown = try await judged(part.isEmpty ? [AssetReaders.absent] : part, evenly: true).shown
                if !shown.isEmpty { visible.insert(id.name) }
            }
        }
        return visible
    }

    /// Notes that the reader has uploaded a content, also for a later save.
    func noteUpload(of hash: String) async throws {
        guard let reader else { return }
        try await base.commit(RecordBatch(saving: [AssetReaders.record(of: hash, reader)], savePolicy: .overwrite))
    }
}
