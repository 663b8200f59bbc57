import NestedRecords

/// How records are named in CloudKit.
///
/// A name in CloudKit is unique among all types, and a reference has no type.
public struct CloudKitNaming: Sendable, Hashable {
    /// The types of the targets of fields; nil if each name has its type.
    let targets: [String: String]?

    private init(targets: [String: String]?) { self.targets = targets }

    /// Names with the type after a colon, such as `1:School`: for records of this library.
    ///
    /// It is the default.
    public static let typed = CloudKitNaming(targets: nil)

    /// Names alone: for containers of apps that have named their records.
    ///
    /// Two records of different types cannot have the same name, and a name has printable ASCII characters alone.
    ///
    /// - Parameter targets: The types of the records to which references of other programs refer, by type and field:
    ///   `["School.director": "Person"]`. References that this library saved have theirs.
    /// - Returns: The naming.
    public static func plain(targets: [String: String]) -> CloudKitNaming { CloudKitNaming(targets: targets) }
}

extension CloudKitNaming {
    // MARK: Types

    /// The beginning of types that are not written as they are.
    private static let typePrefix = "NRx_"

    /// The types that every container has, and the one of the library itself.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckrecord/systemtype
    private static let reservedTypes: Set<String> = ["Users", guardType]

    /// The record that each removal of deleted records changes; see `Tombstones.swift`.
    static let guardType = "NRGuard"
    static let guardName = "nr_guard"
    static let guardField = "number"

    /// The record type in CloudKit, which has letters, digits and underscores: a type with dots is escaped.
    static func recordType(of type: String) -> String {
        let isPlain =
            !type.utf8.contains(UInt8(ascii: ".")) && !type.utf8.starts(with: typePrefix.utf8)
            && !reservedTypes.contains(type)
        if isPlain { return type }
        var text = typePrefix
        for scalar in type.unicodeScalars {
            switch scalar {
            case ".": text += "_d"
            case "_": text += "__"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The type of a record type in CloudKit; nil for a type of the system, and for one that is not escaped like this.
    static func type(ofRecordType recordType: String) -> String? {
        guard recordType.utf8.starts(with: typePrefix.utf8) else {
            let isOwn = !recordType.utf8.contains(UInt8(ascii: ".")) && !reservedTypes.contains(recordType)
            return isOwn ? recordType : nil
        }
        var type = ""
        var scalars = recordType.unicodeScalars.dropFirst(typePrefix.unicodeScalars.count)[...]
        while let scalar = scalars.popFirst() {
            guard scalar == "_" else {
                type.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.popFirst() {
            case "d": type += "."
            case "_": type += "_"
            default: return nil
            }
        }
        return Self.recordType(of: type) == recordType ? type : nil
    }

    /// What the name of the zone for the bytes of assets has after that of the records.
    static let assetZoneSuffix = "-Assets"

    // MARK: Names

    /// The greatest length of a record name.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckrecord/id/init(recordname:zoneid:)
    private static let longestName = 255

    /// The record name in CloudKit.
    func recordName(of id: Record.ID) -> String {
        targets == nil ? Self.escaped(id.name) + ":" + Self.recordType(of: id.type) : id.name
    }

    /// Why CloudKit cannot store a record with an ID; nil if it can.
    func fault(of id: Record.ID) -> String? {
        let name = recordName(of: id)
        if name.utf8.count > Self.longestName {
            return "its name in CloudKit has \(name.utf8.count) bytes, and at most \(Self.longestName) are allowed"
        }
        if Self.recordType(of: id.type).utf8.count > Self.longestName {
            return "its type in CloudKit has more than \(Self.longestName) bytes"
        }
        if targets != nil, name == Self.guardName { return "the name '\(name)' is that of a record of the library" }
        if targets != nil, Self.escaped(name, percent: false) != name {
            return "the name has other characters than printable ASCII, or begins with an underscore"
        }
        return nil
    }

    /// The ID of a record in CloudKit; nil for a record of the system or of another naming.
    func id(ofRecordName name: String, recordType: String) -> Record.ID? {
        guard let type = Self.type(ofRecordType: recordType) else { return nil }
        if targets != nil { return try? Record.ID(type: type, name: name) }
        guard let id = id(ofTypedName: name), id.type == type else { return nil }
        return id
    }

    /// The ID of a deleted record; nil for one of the system.
    ///
    /// - Throws: `RecordError` with the code `invalidResponse` for one with a plain name and without a type.
    func id(ofDeleted name: String, recordType: String?) throws -> Record.ID? {
        guard let recordType else {
            if targets == nil { return id(ofTypedName: name) }
            throw RecordError(
                .invalidResponse,
                reason: "CloudKit does not state the type of the deleted record \(name.debugDescription)")
        }
        return id(ofRecordName: name, recordType: recordType)
    }

    /// The target of a reference in a field of a type; nil if its type is unknown.
    func target(ofRecordName name: String, type: String, field: String) -> Record.ID? {
        guard let targets else { return id(ofTypedName: name) }
        return targets["\(type).\(field)"].flatMap { try? Record.ID(type: $0, name: name) }
    }

    private func id(ofTypedName name: String) -> Record.ID? {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")),
            let type = Self.type(ofRecordType: String(name[name.utf8.index(after: colon)...])),
            let own = Self.unescaped(String(name[..<colon])), let id = try? Record.ID(type: type, name: own)
        else { return nil }
        // Other spellings would be second names of the record.
        return recordName(of: id) == name ? id : nil
    }

    /// Printable ASCII characters: others, and `%`, as `%` and two digits for each byte, and so an underscore at the start.
    private static func escaped(_ name: String, percent: Bool = true) -> String {
        var bytes: [UInt8] = []
        for (position, byte) in name.utf8.enumerated() {
            let isPlain =
                (0x20...0x7E).contains(byte) && !(percent && byte == UInt8(ascii: "%"))
                && !(position == 0 && byte == UInt8(ascii: "_"))
            if isPlain {
                bytes.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ name: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
        }
        return String(validUTF8: bytes)
    }

    // MARK: Fields

    /// The names of fields that records of CloudKit have themselves.
    private static let reservedFields: Set<String> = [
        "recordID", "recordName", "recordType", "recordChangeTag", "creationDate", "creatorUserRecordID",
        "modificationDate", "lastModifiedUserRecordID", "parent", "share",
    ]

    /// Whether a field can have this name in CloudKit: letters, digits and underscores, beginning with a letter.
    static func canName(field: String) -> Bool {
        let bytes = field.utf8
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
        guard let first = bytes.first, isLetter(first), bytes.count <= longestName else { return false }
        return !reservedFields.contains(field) && field != RestField.name
            && bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
