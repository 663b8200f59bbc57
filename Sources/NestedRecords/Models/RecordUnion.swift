/// A value that contains a record of one of several types: an enumeration with a case for each, or a box around an
/// existential.
///
/// A record stores such a value as a reference to the contained record. Decoding uses the type in ``recordTypes`` that
/// fits the contained record. With other coders it has the form that its `Codable` conformance defines. <doc:Modelling>
/// has an example.
public protocol RecordUnion: Codable, _SendableMetatypeIfAvailable {
    /// The types of the records that a value can contain, each for the records of its
    /// ``RecordRepresentable/recordType``.
    ///
    /// A record of another type is an error, `RecordError.Code.unregisteredType`, unless the list
    /// contains a ``DynamicRecordRepresentable`` type: it decodes all records that the other types do not. Of several
    /// types for one record type, the first that ``init(record:)`` accepts is used. A class includes its subclasses
    /// that were registered with ``RecordCoding/register(_:)``.
    static var recordTypes: [any RecordDecodable.Type] { get }

    /// Makes a value from a decoded record.
    ///
    /// - Parameter record: A value of one of ``recordTypes``; the result is nil if this type cannot contain it.
    init?(record: any RecordDecodable)

    /// The record that this value contains.
    var record: any RecordEncodable { get }
}
