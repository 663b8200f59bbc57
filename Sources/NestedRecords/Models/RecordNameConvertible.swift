#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values can be record names: identifiers, and properties with ``RecordName``.
///
/// `String`, `Substring`, `Character`, `UUID` and all integers conform, and optionals of them. A type that has a raw
/// value of such a type, or that is `LosslessStringConvertible`, only declares the conformance:
///
/// ```swift
/// struct PersonID: RawRepresentable, Codable, Hashable {
///     var rawValue: UUID
/// }
///
/// extension PersonID: RecordNameConvertible {}
/// ```
public protocol RecordNameConvertible {
    /// The name of the record that this value identifies; nil if it identifies none, such as a nil optional.
    ///
    /// Different values must have different names.
    var recordName: String? { get }

    /// Makes the value that has a name; nil if no value has the name.
    ///
    /// It may accept other spellings, as `UUID` accepts lower case and `Int` leading zeros. Records have the name that the
    /// value then returns.
    ///
    /// - Parameter recordName: The name of a record.
    init?(recordName: String)
}

extension RecordNameConvertible {
    /// The name of the value that has a name in any spelling; nil if no value has it.
    package static func canonicalName(of name: String) -> String? { Self(recordName: name)?.recordName }
}

extension RecordNameConvertible where Self: LosslessStringConvertible {
    /// The value as a string.
    public var recordName: String? { description }

    /// Makes the value with this description.
    public init?(recordName: String) { self.init(recordName) }
}

extension RecordNameConvertible where Self: RawRepresentable, RawValue: RecordNameConvertible {
    /// The name of the raw value.
    public var recordName: String? { rawValue.recordName }

    /// Makes the value whose raw value has this name.
    public init?(recordName: String) {
        guard let rawValue = RawValue(recordName: recordName) else { return nil }
        self.init(rawValue: rawValue)
    }
}

// If a type is both, its raw value is used.
extension RecordNameConvertible
where Self: RawRepresentable & LosslessStringConvertible, RawValue: RecordNameConvertible {
    /// The name of the raw value.
    public var recordName: String? { rawValue.recordName }

    /// Makes the value whose raw value has this name.
    public init?(recordName: String) {
        guard let rawValue = RawValue(recordName: recordName) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension UUID: RecordNameConvertible {
    /// The UUID in upper case.
    public var recordName: String? { uuidString }

    /// Makes a UUID from its string.
    public init?(recordName: String) { self.init(uuidString: recordName) }
}

extension Optional: RecordNameConvertible where Wrapped: RecordNameConvertible {
    /// The name of the wrapped value; nil if the optional is nil.
    public var recordName: String? { self?.recordName }

    /// Wraps the value that has this name.
    public init?(recordName: String) {
        guard let wrapped = Wrapped(recordName: recordName) else { return nil }
        self = wrapped
    }
}

extension Character: RecordNameConvertible {  // Characters: the type itself
    /// Makes a character from a string of one character.
    public init?(recordName: String) {
        // The initializer of the standard library traps on other strings.
        guard recordName.count == 1 else { return nil }
        self.init(recordName)
    }
}

extension String: RecordNameConvertible {}
extension Substring: RecordNameConvertible {}
extension Int: RecordNameConvertible {}
extension Int8: RecordNameConvertible {}
extension Int16: RecordNameConvertible {}
extension Int32: RecordNameConvertible {}
extension Int64: RecordNameConvertible {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension Int128: RecordNameConvertible {}
extension UInt: RecordNameConvertible {}
extension UInt8: RecordNameConvertible {}
extension UInt16: RecordNameConvertible {}
extension UInt32: RecordNameConvertible {}
extension UInt64: RecordNameConvertible {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension UInt128: RecordNameConvertible {}
