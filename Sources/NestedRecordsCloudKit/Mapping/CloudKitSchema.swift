import Foundation
public import NestedRecords

/// The record types and fields that records need in CloudKit.
///
/// The development environment of a container makes them by itself. For another, `cktool import-schema` takes the text:
///
/// ```swift
/// let schema = try CloudKitSchema(of: RecordEncoder().encode(school))
/// print(schema)
/// ```
///
/// The records are examples: fields that none of them has are missing, so give each optional property a value.
public struct CloudKitSchema: Sendable {
    private let types: [String: [String: String]]

    /// Makes the schema of records.
    ///
    /// - Parameters:
    ///   - records: Examples of each type, with all fields.
    ///   - untyped: The fields whose values are of several types: ``CloudKitRecordDatabase/Options/untyped``.
    /// - Throws: `RecordError` with the code `invalidSchema` for a field that has several types, which CloudKit does not
    ///   take.
    public init(of records: some Sequence<Record>, untyped: Set<String> = []) throws {
        let mapping = RecordMapping(
            naming: .typed, writesActions: false, untyped: untyped, storesAssets: true)
        // Server timestamps are dates in CloudKit.
        let saved = Record.Metadata(changeTag: "", creationDate: Date(), modificationDate: Date())
        var types: [String: [String: String]] = [
            CloudKitNaming.guardType: [CloudKitNaming.guardField: "INT64"]
        ]
        for record in records {
            if !record.assets.isEmpty { types.merge(Self.typesOfAssets) { first, _ in first } }
            let fields = try mapping.encode(record.saved(as: saved))
            for (name, value) in fields.values {
                guard let type = Self.type(of: value) else { continue }
                let former = types[fields.recordType, default: [:]].updateValue(type, forKey: name)
                if let former, former != type {
                    throw RecordError(
                        .invalidSchema, reason: "it is of the type \(type), and another record has \(former)",
                        context: RecordContext(record: record.id, field: name))
                }
            }
        }
        self.types = types
    }

    /// The types of the records that keep the bytes of assets.
    private static let typesOfAssets: [String: [String: String]] = [
        ("NestedRecords.Asset", ["date": "TIMESTAMP", "size": "INT64", "sums": "BYTES", "upload": "STRING"]),
        ("NestedRecords.AssetUpload", ["date": "TIMESTAMP", "isRemoved": "INT64"]),
        (ZoneAssetChunks.uploadType, ["size": "INT64"]),
        (ZoneAssetChunks.partType, [ZoneAssetChunks.fileField: "ASSET"]),
    ].reduce(into: [:]) { types, type in
        types[CloudKitNaming.recordType(of: type.0)] = type.1.merging([RestField.name: "BYTES"]) { first, _ in first }
    }

    private static func type(of value: CloudKitValue) -> String? {
        switch value {
        case .list(let values): values.first.map { "LIST<\($0.typeName)>" }
        case .foreign: nil
        default: value.typeName
        }
    }
}

extension CloudKitSchema: CustomStringConvertible {
    // https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow
    /// The text, in the schema language of CloudKit.
    public var description: String {
        let records = types.sorted { $0.key < $1.key }.map { type, fields in
            let lines =
                fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } + [
                    "GRANT WRITE TO \"_creator\"", "GRANT CREATE TO \"_icloud\"", "GRANT READ TO \"_world\"",
                ]
            return "    RECORD TYPE \(type) (\n" + lines.map { "        \($0)" }.joined(separator: ",\n") + "\n    );\n"
        }
        return "DEFINE SCHEMA\n\n" + records.joined(separator: "\n")
    }
}
