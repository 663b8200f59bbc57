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
/// In a record such a value is a reference to the record that it contains. It is decoded by the type of that record,
/// as one of ``recordTypes``. With other coders it has the form that its `Codable` conformance gives it.
public protocol RecordUnion: Codable, _SendableMetatypeIfAvailable {
    /// The types of the records that a value can contain, each for the records of its
    /// ``RecordRepresentable/recordType``.
    ///
    /// A record of another type is an error, ``RecordError/unregisteredType(of:expected:context:)``, unless there is a
    /// ``DynamicRecordRepresentable`` type in the list: it is for all that the other types are not for. Of several types
    /// for one record type the first that ``init(record:)`` takes is the one. A class also includes its subclasses
    /// that were registered with ``RecordCoding/register(_:)``.
    static var recordTypes: [any RecordDecodable.Type] { get }

    /// Makes a value of a decoded record.
    ///
    /// - Parameter record: A value of one of ``recordTypes``; the result is nil if this type cannot contain it.
    init?(record: any RecordDecodable)

    /// The record that this value contains.
    var record: any RecordEncodable { get }
}
