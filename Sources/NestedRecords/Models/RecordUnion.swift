/// A value that contains a record of one of several types: an enumeration with a case for each, or a box around an
/// existential.
///
/// ```swift
/// enum Pet: RecordUnion {
///     case cat(Cat)
///     case dog(Dog)
///
///     static let recordTypes: [any RecordDecodable.Type] = [Cat.self, Dog.self]
///
///     init?(record: any RecordDecodable) {
///         switch record {
///         case let cat as Cat: self = .cat(cat)
///         case let dog as Dog: self = .dog(dog)
///         default: return nil
///         }
///     }
///
///     var record: any RecordEncodable {
///         switch self {
///         case .cat(let cat): cat
///         case .dog(let dog): dog
///         }
///     }
/// }
/// ```
///
/// A record stores such a value as a reference to the contained record. Decoding uses the type in ``recordTypes`` that
/// fits the contained record. With other coders it has the form that its `Codable` conformance defines.
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
