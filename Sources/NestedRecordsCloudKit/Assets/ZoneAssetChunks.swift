import Foundation
@_spi(Engines) import NestedRecords

/// The bytes of assets in a zone of their own, so that lists and changes of the records do not read them.
///
/// An upload is a record with its size, and a record for each chunk. Invariant: the record of an upload is changed together
/// with each chunk, and deleted in the version after the last one, so that nothing is written to an upload that was removed.
struct ZoneAssetChunks: AssetChunks {
    /// The database in the zone of the assets, whose calls are repeated.
    let database: any RecordDatabase
    let zone: CloudKitRecordDatabase

    // Record types belong to the container, so these must not be types of an app.
    static let uploadType = "NestedRecords.AssetChunks"
    static let chunkType = "NestedRecords.AssetChunk"
    private static let (sizeField, bytesField) = ("size", "bytes")
    private static let chunkSize = Int64(AssetContent.chunkSize)

    private func id(of upload: String) throws -> Record.ID { try Record.ID(type: Self.uploadType, name: upload) }

    private func id(of upload: String, _ position: Int64) throws -> Record.ID {
        try Record.ID(type: Self.chunkType, name: "\(upload)-\(position)")
    }

    func begin(_ upload: String) async throws {
        let record = try Record(id: id(of: upload), fields: [Self.sizeField: 0])
        do {
            try await database.commit(RecordBatch(saving: [record]))
        } catch RecordDatabaseError.Code.conflict {
            // An earlier attempt has begun it.
        }
    }

    func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool {
        let (id, chunkID) = (try id(of: upload), try self.id(of: upload, offset / Self.chunkSize))
        while true {
            let found = try await database.recordsByID(for: [id, chunkID])
            guard var record = found[id], let size = Self.size(record), size >= offset else { return false }
            var chunk = try found[chunkID] ?? Record(id: chunkID)
            chunk[Self.bytesField] = .bytes(bytes)
            record[Self.sizeField] = .int(max(offset + Int64(bytes.count), size > offset + Self.chunkSize ? size : 0))
            do {
                try await database.commit(RecordBatch(saving: [record, chunk]))
                return true
            } catch let error as RecordDatabaseError where error.kind == .conflict {
                try Task.checkCancellation()
            }
        }
    }

    private static func size(_ record: Record) -> Int64? {
        if case .int(let size)? = record[sizeField], (0...largestSize).contains(size) { size } else { nil }
    }

    /// A terabyte: a larger number is damage.
    private static let largestSize: Int64 = 1 << 40

    func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data? {
        let (id, chunkID) = (try id(of: upload), try self.id(of: upload, offset / Self.chunkSize))
        let found = try await database.recordsByID(for: [id, chunkID])
        guard found[id] != nil else { return nil }
        guard case .bytes(let bytes)? = found[chunkID]?[Self.bytesField] else { return Data() }
        return Data(bytes.prefix(count))
    }

    func size(of upload: String) async throws -> Int64? {
        try await database.record(for: id(of: upload)).flatMap(Self.size)
    }

    /// Each commit is durable when it returns.
    func synchronize(_ upload: String) async throws {}

    func remove(_ upload: String) async throws {
        while true {
            guard let record = try await database.record(for: id(of: upload)) else { return }
            let count = ((Self.size(record) ?? 0) + Self.chunkSize - 1) / Self.chunkSize
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

    /// The chunks that are deleted at a time: a commit reads the records that it deletes.
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
        var uploads: [String] = []
        for name in names.sorted() where try await database.record(for: id(of: name)) != nil { uploads.append(name) }
        return uploads
    }
}
