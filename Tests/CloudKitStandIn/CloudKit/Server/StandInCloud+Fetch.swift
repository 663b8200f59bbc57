import Foundation

extension StandInCloud {
    func records(
        _ database: CKDatabase, _ name: Call.Name, for ids: [CKRecord.ID], keys: [String]?
    ) throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        try perform(name, database) { user, state in
            if ids.count > state.settings.itemLimit { throw CKError(.limitExceeded) }
            return state.use(self, database, user) { store, _ in
                var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
                for id in ids {
                    results[id] = Result {
                        let zone = try store.zone(id.zoneID, user: user)
                        guard var record = zone.records[id.recordName]?.record else { throw CKError(.unknownItem) }
                        record.id = id
                        return try delivered(record, keys)
                    }
                }
                return results
            }
        }
    }

    /// A copy for a caller, with the desired fields, and with files of its own in a staging area.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckasset
    func delivered(_ record: StandInRecord, _ keys: [String]?) throws -> CKRecord {
        var copy = record
        if let keys { copy.fields = record.fields.filter { keys.contains($0.key) } }
        (copy.changed, copy.isParentChanged) = ([], false)
        copy.fields = try copy.fields.mapValues { try $0.mapped { try file($0, in: "staged") } }
        return CKRecord(copy)
    }

    /// The server's copy of a file that is saved.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/assetfilenotfound
    func uploaded(_ asset: CKAsset) throws -> CKAsset { try file(asset, in: "server") }

    private func file(_ asset: CKAsset, in folder: String) throws -> CKAsset {
        let target = assets.appendingPathComponent(folder)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        guard let source = asset.fileURL, let data = try? Data(contentsOf: source) else {
            throw CKError(.assetFileNotFound)
        }
        let copy = target.appendingPathComponent(UUID().uuidString)
        try data.write(to: copy)
        return CKAsset(fileURL: copy)
    }

    /// Deletes the files in the staging area, as the system does from time to time.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckasset
    public func deleteStagedFiles() { try? FileManager.default.removeItem(at: assets.appendingPathComponent("staged")) }
}
