#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type whose values a field stores directly.
///
/// A type that tries several types in turn must find the type that was written, so values of one kind do not read as
/// another. The exceptions are those of JSON: a number reads as every numeric type that represents it, and a string as
/// the types that other coders store as strings: `URL`, `UUID` and `Location`.
protocol FieldScalar: Codable {
    var fieldValue: Record.Value { get }

    /// Reads a field value; nil if it is of another kind.
    static func read(_ value: Record.Value) -> Self?

    /// Converts a field value of another kind for ``RecordCoding/convertsScalars``; nil if that is impossible.
    static func readLeniently(_ value: Record.Value) -> Self?

    /// The form that a string must have to be read as this type; nil for types that are not read from strings.
    static var textForm: String? { get }

    /// Reads a field value, or returns the result of the closure if it is of another kind.
    ///
    /// A requirement, so that each type has its own version, which copies only what it reads: generic code would copy
    /// the whole field, 150 instructions, and instantiate the type of an optional for some types, 300 more.
    static func read(
        at place: ElementInPlace<Record.Value>, orElse other: () throws -> Self
    ) throws -> Self
}

extension FieldScalar {
    @inline(__always)
    static func read(at place: ElementInPlace<Record.Value>, orElse other: () throws -> Self) throws -> Self {
        if let value = read(place.value) { return value }
        return try other()
    }

    static func readLeniently(_ value: Record.Value) -> Self? { nil }

    static var textForm: String? { nil }
}

// MARK: Numbers

extension Bool: FieldScalar {
    var fieldValue: Record.Value { .bool(self) }

    @inline(__always)
    static func read(_ value: Record.Value) -> Bool? {
        if case .bool(let value) = value { return value }
        return nil
    }

    static func readLeniently(_ value: Record.Value) -> Bool? {
        if case .int(let number) = value, number == 0 || number == 1 { return number == 1 }
        return nil
    }
}

extension FieldScalar where Self: FixedWidthInteger {
    @inline(__always)
    var fieldValue: Record.Value {
        if let value = Int64(exactly: self) { return .int(value) }
        return .number(digits: String(self))
    }

    @inline(__always)
    static func read(_ value: Record.Value) -> Self? {
        if case .int(let value) = value { return Self(exactly: value) }
        if case .double(let value) = value { return Self(exactly: value) }
        return value.numberDigits.flatMap { Self($0) }
    }
}

extension Int: FieldScalar {}
extension Int8: FieldScalar {}
extension Int16: FieldScalar {}
extension Int32: FieldScalar {}
extension Int64: FieldScalar {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension Int128: FieldScalar {}
extension UInt: FieldScalar {}
extension UInt8: FieldScalar {}
extension UInt16: FieldScalar {}
extension UInt32: FieldScalar {}
extension UInt64: FieldScalar {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension UInt128: FieldScalar {}

extension Double: FieldScalar {
    var fieldValue: Record.Value { .double(self) }

    @inline(__always)
    static func read(_ value: Record.Value) -> Double? {
        if case .double(let value) = value { return value }
        if case .int(let value) = value { return Double(exactly: value) }
        return Double(largeInteger: value)
    }
}

extension BinaryFloatingPoint {
    /// The number of an integer that is stored by its digits; nil if it would be rounded.
    fileprivate init?(largeInteger value: Record.Value) {
        guard let digits = value.numberDigits else { return nil }
        if let integer = UInt64(digits) {
            self.init(exactly: integer)
        } else if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
            if let integer = Int128(digits) {
                self.init(exactly: integer)
            } else if let integer = UInt128(digits) {
                self.init(exactly: integer)
            } else {
                return nil
            }
        } else {
            return nil
        }
    }
}

extension Float: FieldScalar {
    var fieldValue: Record.Value { .double(Double(self)) }

    /// A number between two floats reads as the nearer float; a number beyond all floats does not read.
    static func read(_ value: Record.Value) -> Float? {
        if case .int(let value) = value { return Float(exactly: value) }
        guard case .double(let value) = value else { return Float(largeInteger: value) }
        let float = Float(value)
        return float.isInfinite && value.isFinite ? nil : float
    }
}

// MARK: Texts

extension String: FieldScalar {
    var fieldValue: Record.Value { .string(self) }

    static func read(_ value: Record.Value) -> String? {
        if case .string(let value) = value { return value }
        if case .location(let value) = value { return value.description }
        return nil
    }

    @inline(__always)
    static func read(at place: ElementInPlace<Record.Value>, orElse other: () throws -> String) throws -> String {
        if case .string(let value) = place.value { return value }
        return try read(place.value) ?? other()
    }
}

extension URL: FieldScalar {
    static var textForm: String? { "URL" }
    var fieldValue: Record.Value { .string(absoluteString) }

    static func read(_ value: Record.Value) -> URL? {
        guard case .string(let text) = value else { return nil }
        return URL(string: text)
    }
}

extension UUID: FieldScalar {
    static var textForm: String? { "UUID" }
    var fieldValue: Record.Value { .string(uuidString) }

    static func read(_ value: Record.Value) -> UUID? {
        guard case .string(let text) = value else { return nil }
        return UUID(uuidString: text)
    }
}

// MARK: Field types

extension Date: FieldScalar {
    var fieldValue: Record.Value { .date(self) }

    @inline(__always)
    static func read(_ value: Record.Value) -> Date? {
        if case .date(let value) = value { return value }
        return nil
    }

    static func readLeniently(_ value: Record.Value) -> Date? {
        guard case .string(let string) = value else { return nil }
        return ISO8601.date(from: string)
    }
}

extension Data: FieldScalar {
    // A slice keeps its indices, which decoding would return.
    var fieldValue: Record.Value { .bytes(startIndex == 0 ? self : Data(self)) }

    static func read(_ value: Record.Value) -> Data? {
        guard case .bytes(let value) = value else { return nil }
        return value
    }
}

extension Location: FieldScalar {
    static var textForm: String? { "location" }
    var fieldValue: Record.Value { .location(self) }

    static func read(_ value: Record.Value) -> Location? {
        if case .location(let value) = value { return value }
        guard case .string(let text) = value else { return nil }
        return try? Location(text)
    }
}

extension RecordAsset: FieldScalar {
    var fieldValue: Record.Value { .asset(self) }

    static func read(_ value: Record.Value) -> RecordAsset? {
        guard case .asset(let value) = value else { return nil }
        return value
    }
}

extension Record.Reference: FieldScalar {
    var fieldValue: Record.Value { .reference(self) }

    static func read(_ value: Record.Value) -> Record.Reference? {
        guard case .reference(let value) = value else { return nil }
        return value
    }
}

extension Record.Fields: FieldScalar {
    var fieldValue: Record.Value { .map(self) }

    static func read(_ value: Record.Value) -> Record.Fields? {
        guard case .map(let value) = value else { return nil }
        return value
    }
}

extension Record.Value: FieldScalar {
    var fieldValue: Record.Value { self }

    static func read(_ value: Record.Value) -> Record.Value? { value }
}
