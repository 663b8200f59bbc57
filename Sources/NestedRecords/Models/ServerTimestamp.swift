#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A date that the database sets to the time of the save if it is nil.
///
/// ```swift
/// struct Note: RecordCodable, Identifiable {
///     var id: String
///     @ServerTimestamp var updatedAt: Date? = nil
/// }
/// ```
///
/// A record stores nil as ``Record/Value/serverTimestamp``, and the database replaces it by the modification date of
/// the record. Other coders store a plain optional date.
@propertyWrapper
public struct ServerTimestamp: Sendable, Hashable {
    /// The date; nil if the next save sets it.
    public var wrappedValue: Date?

    /// Makes a timestamp.
    ///
    /// - Parameter wrappedValue: The date; nil if the next save sets it.
    public init(wrappedValue: Date?) {
        self.wrappedValue = wrappedValue
    }
}

extension ServerTimestamp: CustomStringConvertible {
    /// The description of the wrapped value.
    public var description: String { wrappedValue.map { "\($0)" } ?? "nil" }
}

extension ServerTimestamp: Codable {
    /// Writes the date or nil.
    public func encode(to encoder: any Encoder) throws {
        if try encoder.takes(self) { return }
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }

    /// Reads the date or nil.
    public init(from decoder: any Decoder) throws {
        self =
            try decoder.given(Self.self) ?? Self(wrappedValue: decoder.singleValueContainer().decode(Date?.self))
    }
}

extension KeyedEncodingContainer {
    /// Writes a timestamp; nil like other optional properties.
    public mutating func encode(_ value: ServerTimestamp, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue.map(FilledTimestamp.init), forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Reads a timestamp; nil if the value is missing.
    public func decode(_ type: ServerTimestamp.Type, forKey key: Key) throws -> ServerTimestamp {
        try decodeIfPresent(type, forKey: key) ?? ServerTimestamp(wrappedValue: nil)
    }
}

/// A timestamp that is not nil.
///
/// If it is nil, containers of records recognize the timestamp by this type; others see an optional date.
struct FilledTimestamp: Encodable {
    let date: Date

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date)
    }
}

extension ServerTimestamp: FieldScalar {
    var fieldValue: Record.Value { wrappedValue.map(Record.Value.date) ?? .serverTimestamp }

    static func read(_ value: Record.Value) -> ServerTimestamp? {
        let isPending = value.kind == .serverTimestamp || value.kind == .null
        return isPending ? ServerTimestamp(wrappedValue: nil) : Date.read(value).map(Self.init)
    }

    static func readLeniently(_ value: Record.Value) -> ServerTimestamp? {
        Date.readLeniently(value).map(Self.init)
    }
}
