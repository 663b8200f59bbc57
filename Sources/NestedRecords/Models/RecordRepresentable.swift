#if compiler(>=6.2)
/// What holds for the metatypes of ``RecordRepresentable``: conformances hold on every thread, since records are
/// decoded away from the caller's actor.
///
/// A condition cannot enclose a protocol's inheritance alone, so the name that older compilers lack is here.
public typealias _SendableMetatypeIfAvailable = SendableMetatype
#else
/// What holds for the metatypes of ``RecordRepresentable``: nothing where the compiler has no `SendableMetatype`.
public typealias _SendableMetatypeIfAvailable = Any
#endif

/// A type whose values become records of their own, wherever they occur in a graph.
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
/// What a type says of itself is constant: its record type, its schema and the strings of its coding keys are read once in
/// a process. In a class with subclasses the schema is a `class var`, and subclasses override it with all names: a schema
/// that is declared for the first time below the class that conforms does not count, as with every requirement that the
/// superclass has a default for. A generic type's schema is a computed `static var`.
public protocol RecordRepresentable: _SendableMetatypeIfAvailable {
    /// The type of the records that values of this type become; by default the type's own name.
    ///
    /// A generic type's own name is not a valid record type: state one.
    static var recordType: String { get }

    /// The name of this value's record, unique within its type.
    ///
    /// By default the name that `id` is where the type is `Identifiable` and its identifier is
    /// ``RecordNameConvertible``, otherwise the property with ``RecordName``. A value without a name cannot be encoded,
    /// unless that property is nil and is to be filled. A decoded value must give the name that its record has.
    var recordName: String { get }

    /// What the type says of its properties and of earlier forms of its records; nothing by default.
    static var schema: RecordSchema { get }
}

/// A type that can be encoded as records.
public typealias RecordEncodable = RecordRepresentable & Encodable

/// A type that can be decoded from records.
public typealias RecordDecodable = RecordRepresentable & Decodable

/// A type that can be encoded as records and decoded from them.
public typealias RecordCodable = RecordRepresentable & Codable

/// A record-representable type whose record type is known only from each value.
///
/// The static ``RecordRepresentable/recordType`` names such values in errors; it is not compared with the records
/// that are decoded. While one is decoded, `decoder.userInfo[.recordID]` is the ID of the record.
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
    /// The name that the property with ``RecordName`` holds; empty if it is nil or there is no such property.
    ///
    /// - Complexity: O(*n*) for the *n* properties that `encode(to:)` writes before.
    public var recordName: String {
        guard let value = self as? any Encodable else { return "" }
        return RecordNameSearch(value).name ?? ""
    }
}

extension RecordRepresentable where Self: Identifiable, ID: RecordNameConvertible {
    /// The name that `id` is; empty if it is nil.
    public var recordName: String { id.recordName ?? "" }
}

extension RecordRepresentable where Self: Identifiable {
    /// Not available: `id` cannot be a name.
    @available(
        *, unavailable, message: "make the type of 'id' conform to RecordNameConvertible, or declare 'recordName'"
    )
    public var recordName: String { "" }
}
