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
///     static let ignoredProperties = ["cache"]
/// }
/// ```
///
/// What a type says of itself is constant: its record type, its lists of properties and the strings of its coding keys are
/// read once in a process. The lists are arrays or sets of names as in `CodingKeys`. A name that is none of the type's
/// coding keys is an error the first time that the type is encoded or decoded. In a class with subclasses a list is a `class var`,
/// and subclasses override it: a list that a subclass declares anew does not count, as with every requirement that its
/// superclass has a default for.
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

    /// The type of ``ignoredProperties``: an array or a set of names, ``IgnoredProperties``, or a dictionary.
    associatedtype IgnoredPropertyList: Sendable = NoProperties

    /// The type of ``locationProperties``: an array or a set of names.
    associatedtype LocationPropertyList: Sendable = NoProperties

    /// The type of ``cascadingProperties``: an array or a set of names.
    associatedtype CascadingPropertyList: Sendable = NoProperties

    /// The type of ``fieldDefaults``: ``FieldDefaults``, or a dictionary of names and values.
    associatedtype FieldDefaultList: Sendable = NoProperties

    /// The type of ``formerFieldNames``: a dictionary of names and lists of names.
    associatedtype FormerFieldNameList: Sendable = NoProperties

    /// The type of ``recordVersion``: an integer.
    associatedtype RecordVersion: Sendable = NoProperties

    /// The properties that are neither stored nor read.
    ///
    /// An array or a set has their names, `["cache"]`: they decode as if their fields were missing, so they must be
    /// optional or read by an `init(from:)` that does not require them. ``IgnoredProperties`` or a dictionary also has
    /// the values that decoding gives, `["visits": 7]`.
    static var ignoredProperties: IgnoredPropertyList { get }

    /// The properties whose `latitude;longitude` strings, alone or in lists, are stored as locations. They read back as
    /// the same strings: those that ``Location`` writes in another way are stored as strings, unless
    /// ``RecordEncoder/locationStrategy`` says otherwise.
    static var locationProperties: LocationPropertyList { get }

    /// The properties that this record depends on: it is deleted together with the records that they refer to.
    ///
    /// All references in them, links or nested values, alone or in lists and embedded values, are stored with the
    /// action ``Record/Reference/Action/deleteSelf``. So a property that leads to an owner belongs here, and one that
    /// leads to what this value owns does not.
    static var cascadingProperties: CascadingPropertyList { get }

    /// The values of properties whose fields are missing in a record: those that were added to the type later.
    ///
    /// `["isActive": true]`. A field that is null is not missing. The value is stored when the record is written.
    static var fieldDefaults: FieldDefaultList { get }

    /// The names that properties had before: `["name": ["title", "label"]]`.
    ///
    /// A property is read from the first of these fields that is there, if its own field is missing. It is written to
    /// its own field alone, and a save of a fetched value removes the former one. A former name is that of the property
    /// before, which ``KeyStrategy`` makes a field's name of, or the name of the field as it is stored.
    static var formerFieldNames: FormerFieldNameList { get }

    /// The record types that this type had before, an array of strings: `["Pupil"]`.
    ///
    /// ``RecordDatabase/migrate(_:encoder:options:)`` gives such records the present type. They are not read before: stop
    /// the writers, migrate, start them.
    static var formerRecordTypes: [String] { get }

    /// The version of the type's fields, an integer from 1 on; types state none by default.
    ///
    /// Each record that is written has it in the field `$version`. A record with a greater one is not read: it was
    /// written by a program that knows the type better. Raise it when earlier programs must not read the records any more.
    static var recordVersion: RecordVersion { get }
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

    /// No types.
    public static var formerRecordTypes: [String] { [] }
}

extension RecordRepresentable where IgnoredPropertyList == NoProperties {
    /// No properties.
    public static var ignoredProperties: NoProperties { NoProperties() }
}

extension RecordRepresentable where LocationPropertyList == NoProperties {
    /// No properties.
    public static var locationProperties: NoProperties { NoProperties() }
}

extension RecordRepresentable where CascadingPropertyList == NoProperties {
    /// No properties.
    public static var cascadingProperties: NoProperties { NoProperties() }
}

extension RecordRepresentable where FieldDefaultList == NoProperties {
    /// No values.
    public static var fieldDefaults: NoProperties { NoProperties() }
}

extension RecordRepresentable where FormerFieldNameList == NoProperties {
    /// No names.
    public static var formerFieldNames: NoProperties { NoProperties() }
}

extension RecordRepresentable where RecordVersion == NoProperties {
    /// No version.
    public static var recordVersion: NoProperties { NoProperties() }
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
