/// A type whose values become separate records, wherever they occur in a graph.
///
/// ```swift
/// struct School: RecordCodable, Identifiable {
///     var id: String
///     var students: [Person]
///     var cache: String?
///     static let schema = RecordSchema(ignoring: ["cache"])
/// }
/// ```
///
/// The static properties of a type are constant: its record type, its schema and the strings of its coding keys are
/// read once in a process. In a class with subclasses the schema is a `class var`, and subclasses override it with all
/// names. A schema that only a subclass of the conforming class declares is ignored, like every requirement for which
/// the superclass uses the default. A generic type's schema is a computed `static var`.
public protocol RecordRepresentable: _SendableMetatypeIfAvailable {
    /// The type of the records that values of this type become; by default the type's own name.
    ///
    /// The name of a generic type is not a valid record type: declare one.
    static var recordType: String { get }

    /// The name of this value's record, unique within its type.
    ///
    /// By default, if the type is `Identifiable` and its identifier is ``RecordNameConvertible``, this is the name of
    /// `id`; otherwise it is the property with ``RecordName``. A value without a name cannot be encoded, unless that
    /// property is nil and gets a generated name. A decoded value must return the name of its record.
    var recordName: String { get }

    /// The options for the type's properties and for earlier forms of its records; empty by default.
    static var schema: RecordSchema { get }
}

/// A type that can be encoded as records.
public typealias RecordEncodable = RecordRepresentable & Encodable

/// A type that can be decoded from records.
///
/// Its `init(from:)` is completed once for a value, and may be begun more often: in the first fetch of a type, until all
/// records that it requests are fetched. It should pass on the errors of its decoder, and register nothing.
public typealias RecordDecodable = RecordRepresentable & Decodable

/// A type that can be encoded as records and decoded from them.
public typealias RecordCodable = RecordRepresentable & Codable

/// A record-representable type whose values each state their record type.
///
/// Errors show the static ``RecordRepresentable/recordType`` of such a type; decoding does not compare it with the
/// records. While a value is decoded, `decoder.userInfo[.recordID]` is the ID of its record.
public protocol DynamicRecordRepresentable: RecordRepresentable {
    /// The type of this value's record.
    var recordType: String { get }
}

extension CodingUserInfoKey {
    /// The key of the ``Record/ID`` of the record that is being encoded or decoded.
    public static let recordID = {
        guard let key = CodingUserInfoKey(rawValue: "NestedRecords.recordID") else {
            preconditionFailure("every string is a key")
        }
        return key
    }()
}

extension RecordRepresentable {
    /// The type's own name, without its module and outer types.
    public static var recordType: String { OwnTypeNames.name(of: Self.self) }

    /// An empty schema.
    public static var schema: RecordSchema { RecordSchema() }
}

extension RecordRepresentable {
    /// The name that the property with ``RecordName`` holds; empty if it is nil or no such property exists.
    ///
    /// - Complexity: O(*n*) for *n* properties.
    public var recordName: String { recordNameProperty?.recordName ?? "" }
}

extension RecordRepresentable where Self: Identifiable, ID: RecordNameConvertible {
    /// The name of `id`; empty if it is nil.
    public var recordName: String { id.recordName ?? "" }
}

extension RecordRepresentable where Self: Identifiable {
    /// Not available: `id` cannot be a name.
    @available(
        *, unavailable, message: "make the type of 'id' conform to RecordNameConvertible, or declare 'recordName'"
    )
    public var recordName: String { "" }
}
