#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The records that ``StoredAssets`` keeps.

extension AssetContent {
    static let recordType = RecordAsset.contentRecordType
    static let dateField = "date"
    private static let (sizeField, sumsField, uploadField) = ("size", "sums", "upload")

    var record: Record {
        Record(
            id: recordID,
            checkedFields: Record.Fields(
                names: [Self.sizeField, Self.dateField, Self.uploadField, Self.sumsField],
                values: [.int(size), .date(date), .string(upload), .bytes(digest.sums)]))
    }

    /// The record of a content whose bytes another database has.
    static func elsewhere(_ hash: String, _ date: Date) -> Record {
        Record(
            id: Record.ID(checkedType: recordType, name: hash),
            checkedFields: Record.Fields(names: [dateField], values: [.date(date)]))
    }

    /// Reads a record; nil for that of a content whose bytes another database has.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `corrupt` for a record that is not one of a content.
    init?(_ record: Record) throws {
        guard record.id.type == Self.recordType, case .date(let date)? = record[Self.dateField] else {
            throw Self.damaged(record)
        }
        if record.fields.count == 1 { return nil }
        guard case .int(let size)? = record[Self.sizeField], case .string(let upload)? = record[Self.uploadField],
            case .bytes(let sums)? = record[Self.sumsField], UploadRecord.id(of: upload) != nil,
            let digest = AssetDigest(hash: record.id.name, size: size, sums: sums)
        else { throw Self.damaged(record) }
        self.init(digest: digest, date: date, upload: upload)
    }

    private static func damaged(_ record: Record) -> RecordDatabaseError {
        RecordDatabaseError(.corrupt, reason: "the record does not describe an asset", recordID: record.id)
    }

    /// Where its chunks begin.
    package var offsets: StrideTo<Int64> { stride(from: 0, to: size, by: Self.chunkSize) }
}

extension Record.ID {
    /// Whether it is that of the content of an asset.
    package var isAssetContent: Bool { type == RecordAsset.contentRecordType }
}

/// The record of an upload that is not a content.
struct UploadRecord {
    static let recordType = Record.ID.reservedTypePrefix + "AssetUpload"
    private static let removedField = "isRemoved"

    let upload: String
    let date: Date

    /// Whether its chunks are to be removed, and no caller may write to it.
    var isRemoved = false

    /// A name that no caller can guess: who knows it may go on with the upload.
    static func makeName() -> String {
        (0..<4).map { _ in
            let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        .joined()
    }

    /// The record's ID; nil for a string that is not the name of an upload.
    static func id(of upload: String) -> Record.ID? {
        guard upload.utf8.count == 32, RecordAsset.isHash(upload + upload) else { return nil }
        return Record.ID(checkedType: recordType, name: upload)
    }

    var record: Record {
        Record(
            id: Record.ID(checkedType: Self.recordType, name: upload),
            checkedFields: Record.Fields(
                names: [AssetContent.dateField, Self.removedField], values: [.date(date), .bool(isRemoved)]))
    }

    func record(over stored: Record) -> Record {
        var record = record
        record.metadata = stored.metadata
        return record
    }
}

extension UploadRecord {
    /// Reads a record; nil for one with other fields.
    init?(_ record: Record) {
        guard record.id.type == Self.recordType, Self.id(of: record.id.name) != nil,
            case .date(let date)? = record[AssetContent.dateField],
            case .bool(let isRemoved)? = record[Self.removedField]
        else { return nil }
        self.init(upload: record.id.name, date: date, isRemoved: isRemoved)
    }
}

/// The records that say who has uploaded a content, so that a scope shows it to its reader before a record names it.
enum AssetReaders {
    static let recordType = Record.ID.reservedTypePrefix + "AssetReader"

    /// The name of no record, to look for one where there is nothing to look for.
    static let absent = Record.ID(checkedType: recordType, name: "-")

    static func id(of hash: String, _ reader: String) -> Record.ID {
        let digest = SHA256.digest(of: Array(reader.utf8)).prefix(32)
        return Record.ID(checkedType: recordType, name: "\(hash)-\(digest)")
    }

    static func record(of hash: String, _ reader: String) -> Record {
        Record(
            id: id(of: hash, reader),
            checkedFields: Record.Fields(names: [AssetContent.dateField], values: [.date(Date())]))
    }
}

extension Record.ID {
    /// Whether no database remembers the record's deletion: what the library keeps and removes does not push the deletions
    /// of other records out of the history.
    package var isForgottenWhenDeleted: Bool { isUniqueClaim || isOfAssets }
}
