import Foundation

/// The rules of names and types.
enum StandInSchema {
    /// Refuses a record with a name that is not allowed.
    ///
    /// - A record's name has at most 255 characters, all ASCII, and does not begin with an underscore:
    ///   https://developer.apple.com/documentation/cloudkit/ckrecord/id/init(recordname:zoneid:)
    /// - A type or a key has letters, digits and underscores, and begins with a letter:
    ///   https://developer.apple.com/documentation/cloudkit/ckrecord/init(recordtype:recordid:),
    ///   https://developer.apple.com/documentation/cloudkit/ckrecord/setobject(_:forkey:),
    ///   https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow
    /// - Names of CKRecord's properties are to be avoided as keys, by the page of setObject: refused here.
    /// - References point into the record's zone: https://developer.apple.com/documentation/cloudkit/ckrecordzone
    static func checkNames(_ record: StandInRecord) throws {
        let name = record.id.recordName.utf8
        guard name.count <= 255, name.first != UInt8(ascii: "_"), name.allSatisfy({ $0 < 128 }) else {
            throw CKError.invalid("record name \(record.id.recordName)")
        }
        guard isIdentifier(record.type) else { throw CKError.invalid("record type \(record.type)") }
        for (key, value) in record.fields {
            guard isIdentifier(key), !reserved.contains(key) else { throw CKError.invalid("field name \(key)") }
            guard value.references.allSatisfy({ $0.recordID.zoneID.zoneName == record.id.zoneID.zoneName }) else {
                throw CKError.invalid("field \(key) references a record in another zone")
            }
        }
    }

    private static let reserved: Set<String> = [
        "recordID", "recordType", "creationDate", "creatorUserRecordID", "modificationDate", "lastModifiedUserRecordID",
        "recordChangeTag", "parent", "share", "encryptedValues",
    ]

    /// The limit of 255 is that of record names; for types and keys [not verified].
    private static func isIdentifier(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 255, isLetter(first) else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return bytes.allSatisfy { isLetter($0) || digits ~= $0 || $0 == UInt8(ascii: "_") }
    }

    /// Compares the saved values with the types of their fields, and adds new fields in the development environment.
    ///
    /// The first save of a field fixes its type:
    /// https://developer.apple.com/documentation/cloudkit/ckrecord. The code of the error [not verified]
    static func extend(_ state: inout StandInCloud.State, for record: StandInRecord, _ keys: Set<String>) throws {
        var fields = state.schema[record.type]
        if fields == nil, state.settings.isProduction { throw CKError.invalid("unknown record type \(record.type)") }
        for key in keys {
            guard let value = record.fields[key] else { continue }
            guard let type = value.fieldType else { throw CKError.invalid("field \(key) has no type: \(value)") }
            if let known = fields?[key] {
                if known != type { throw CKError.invalid("field \(key) is \(known), not \(type)") }
            } else if state.settings.isProduction {
                throw CKError.invalid("unknown field \(key) of \(record.type)")
            } else {
                fields = (fields ?? [:]).merging([key: type]) { $1 }
            }
        }
        state.schema[record.type] = fields ?? [:]
    }
}
