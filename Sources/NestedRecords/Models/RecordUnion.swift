/// A value that stands for a record of one of several types: an enumeration with a case for each, or a box around an
/// existential.
///
/// ```swift
/// enum Pet: RecordUnion {
///     case cat(Cat)
///     case dog(Dog)
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
/// In a record such a value is a reference to the record that stands in it. It is decoded by the type of that record,
/// as one of the types that ``RecordDecoder/register(_:)`` was told. With other coders it has the form that its
/// `Codable` conformance gives it.
public protocol RecordUnion: Codable {
    /// Makes a value of a decoded record.
    ///
    /// - Parameter record: A value of a registered type; nil is the answer if it cannot stand here.
    init?(record: any RecordDecodable)

    /// The record that stands in this value.
    var record: any RecordEncodable { get }
}
