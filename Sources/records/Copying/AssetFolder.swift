import Foundation
import NestedRecords

/// A folder with contents of assets beside lines: a file for each, whose name is the hash.
struct AssetFolder {
    let path: String

    private func file(of asset: RecordAsset) -> String { "\(path)/\(asset.hash)" }

    /// Writes the contents that a record names, except those that the folder has.
    ///
    /// - Throws: `RecordDatabaseError` with the record for a content that is missing; errors of the database and of the folder.
    func write(contentsOf record: Record, from store: AssetStore) async throws {
        for asset in record.assets { try await write(asset, of: record.id, from: store) }
    }

    /// Writes a content unless the folder has it; as above.
    func write(_ asset: RecordAsset, of id: Record.ID, from store: AssetStore) async throws {
        if size(of: asset) == asset.size { return }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            try await store.copy(asset, to: file(of: asset))
        } catch RecordDatabaseError.Code.missingAsset {
            throw RecordDatabaseError(
                .missingAsset, reason: "the content \(asset.hash) is not in the database", recordID: id)
        }
    }

    /// Adds the contents that records name and a database lacks.
    ///
    /// - Throws: ``InputError`` for a file with other bytes than its name says; errors of the database. A content that the
    ///   folder lacks too is left to the save, which names its record.
    func add(contentsOf records: [Record], to store: AssetStore) async throws {
        for asset in records.flatMap(\.assets) where size(of: asset) != nil {
            if try await store.exists(asset) { continue }
            let added = try await store.add(file: file(of: asset))
            guard added.hash == asset.hash else {
                throw InputError(input: file(of: asset), reason: "has the hash \(added.hash)")
            }
        }
    }

    /// The size of the file of an asset; nil if there is none.
    private func size(of asset: RecordAsset) -> Int64? {
        let file = file(of: asset)
        return FileManager.default.fileExists(atPath: file) ? OpenFile.size(at: file).map { Int64($0) } : nil
    }
}
