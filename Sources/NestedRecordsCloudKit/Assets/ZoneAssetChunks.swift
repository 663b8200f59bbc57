import Foundation
@_spi(Engines) import NestedRecords

/// The bytes of assets in a zone of their own, so that lists and changes of the records do not read them.
///
/// An upload is a record with its size, and a record with a file, a `CKAsset`, for each part of 16 chunks. Invariant: the
/// record of an upload is changed together with each part, and deleted in the version after the last one, so that nothing is
/// written to an upload that was removed.
struct ZoneAssetChunks: AssetChunks {
    /// The database in the zone of the assets, whose calls are repeated.
    let database: any RecordDatabase
    let zone: CloudKitRecordDatabase
    let parts: AssetParts

    // Record types belong to the container, so these must not be types of an app.
    static let uploadType = "NestedRecords.AssetChunks"
    static let partType = "NestedRecords.AssetPart"
    static let fileField = "file"
    private static let sizeField = "size"

    /// The page of uploads over the web has a limit of 15 MB for a file.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/UploadAssets.html
    static let partSize = 16 * Int64(AssetContent.chunkSize)

    private func id(of upload: String) throws -> Record.ID { try Record.ID(type: Self.uploadType, name: upload) }

    private func id(of upload: String, _ position: Int64) throws -> Record.ID {
        try Record.ID(type: Self.partType, name: "\(upload)-\(position)")
    }

    func begin(_ upload: String) async throws {
        let record = try Record(id: id(of: upload), fields: [Self.sizeField: 0])
        do {
            try await database.commit(RecordBatch(saving: [record]))
        } catch RecordDatabaseError.Code.conflict {
            // An earlier attempt has begun it.
        }
    }

    /// Sends each part when it is full; the last one is sent by ``synchronize(_:)``.
    func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool {
        let position = offset / Self.partSize
        for other in parts.unsent(of: upload) where other.position != position {
            guard try await send(other) else { return false }
        }
        let start = Int(offset % Self.partSize)
        guard var part = try await part(of: upload, at: position), part.bytes.count >= start else { return false }
        let end = min(start + AssetContent.chunkSize, part.bytes.count)
        part.bytes.replaceSubrange(start..<end, with: bytes)
        part.isSent = false
        parts.keep(part)
        if part.bytes.count == Self.partSize { return try await send(part) }
        // Each open upload has a part, so that many would need too much memory.
        while let oldest = parts.shrink() {
            if try await !send(oldest) { parts.remove(oldest.upload) }
        }
        return true
    }

    /// A part of an upload, which may be empty; nil if the upload does not exist, or does not have the parts before.
    private func part(of upload: String, at position: Int64) async throws -> AssetParts.Part? {
        if let part = parts.part(of: upload, at: position) { return part }
        let (id, partID) = (try id(of: upload), try self.id(of: upload, position))
        let found = try await database.recordsByID(for: [id, partID])
        guard let size = found[id].flatMap(Self.size), size >= position * Self.partSize else { return nil }
        var bytes = Data()
        if case .bytes(let stored)? = found[partID]?[Self.fileField] { bytes = stored }
        let part = AssetParts.Part(upload: upload, position: position, bytes: bytes, isSent: true)
        parts.keep(part)
        _ = parts.shrink()
        return part
    }

    /// - Returns: Whether the upload exists.
    private func send(_ part: AssetParts.Part) async throws -> Bool {
        let (id, partID) = (try id(of: part.upload), try self.id(of: part.upload, part.position))
        while true {
            let found = try await database.recordsByID(for: [id, partID])
            guard var record = found[id], let size = Self.size(record) else { return false }
            record[Self.sizeField] = .int(Self.size(size, with: part))
            var file = try found[partID] ?? Record(id: partID)
            file[Self.fileField] = .bytes(part.bytes)
            do {
                try await database.commit(RecordBatch(saving: [record, file]))
                parts.noteSent(part)
                return true
            } catch let error as RecordDatabaseError where error.kind == .conflict {
                try Task.checkCancellation()
            }
        }
    }

    /// The size of an upload after a part is stored.
    private static func size(_ size: Int64, with part: AssetParts.Part) -> Int64 {
        let start = part.position * partSize
        return size > start + partSize ? size : start + Int64(part.bytes.count)
    }

    private static func size(_ record: Record) -> Int64? {
        if case .int(let size)? = record[sizeField], (0...largestSize).contains(size) { size } else { nil }
    }

    /// A terabyte: a larger number is damage.
    private static let largestSize: Int64 = 1 << 40

    func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data? {
        guard let part = try await part(of: upload, at: offset / Self.partSize) else { return nil }
        return Data(part.bytes.dropFirst(Int(offset % Self.partSize)).prefix(count))
    }

    func size(of upload: String) async throws -> Int64? {
        guard let size = try await database.record(for: id(of: upload)).flatMap(Self.size) else { return nil }
        return parts.unsent(of: upload).reduce(size) { Self.size($0, with: $1) }
    }

    /// Sends the last part: each commit is durable when it returns.
    func synchronize(_ upload: String) async throws {
        for part in parts.unsent(of: upload) where try await !send(part) {
            throw RecordDatabaseError(.unknownUpload, reason: "\(upload) was removed")
        }
    }

    func remove(_ upload: String) async throws {
        parts.remove(upload)
        while true {
            guard let record = try await database.record(for: id(of: upload)) else { return }
            let count = ((Self.size(record) ?? 0) + Self.partSize - 1) / Self.partSize
            for start in stride(from: 0, to: count, by: Int64.Stride(Self.deletionCount)) {
                let part = try (start..<min(start + Int64(Self.deletionCount), count)).map { try id(of: upload, $0) }
                try await database.commit(RecordBatch(deletingAnyVersionOf: part))
            }
            var batch = RecordBatch()
            batch.deletions = [RecordBatch.VersionedID(record.id, version: RecordBatch.Version(of: record))]
            do {
                try await database.commit(batch)
                return
            } catch let error as RecordDatabaseError where error.kind == .conflict {
                try Task.checkCancellation()
            }
        }
    }

    /// The parts that are deleted at a time: a commit reads the records that it deletes.
    private static let deletionCount = 8

    func uploads() async throws -> [String] {
        var (names, position, isComplete): (Set<String>, Data?, Bool) = ([], nil, false)
        while !isComplete {
            // Without the fields, and so without the bytes.
            let changes = try await reportingFailures { [position] in
                try await zone.port.repeatedChanges(since: position, hasFields: false)
            }
            for record in changes.saved.map(\.fields) {
                let naming = zone.mapping.naming
                let id = naming.id(ofRecordName: record.recordName, recordType: record.recordType)
                if let id, id.type == Self.uploadType { names.insert(id.name) }
            }
            (position, isComplete) = (changes.position, changes.isComplete)
        }
        // Marks of deletions are among them.
        let ids = try names.map { try id(of: $0) }
        let stored = try await repeatingRead { try await reportingFailures { try await zone.stored(ids) } }
        return stored.values.compactMap(\.live?.id.name)
    }
}
