#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type whose values a field holds as they are.
///
/// A type that tries several kinds one after the other must find the one that was written, so values of one kind do not
/// read as another. The exceptions are those of JSON: a number reads as every numeric type that holds it, and a string
/// as the types whose form in other coders is a string, which are `URL`, `UUID` and `Location`.
protocol FieldScalar: Codable {
    /// This value in a field.
    var fieldValue: Record.Value { get }

    /// The value that a field holds; nil if it holds something else.
    static func read(_ value: Record.Value) -> Self?

    /// The value that ``ScalarStrategy/lenient`` converts a field of another kind to; nil if it cannot be converted.
    static func readLeniently(_ value: Record.Value) -> Self?

    /// What a string must be to be read as this type; nil for types that are not read from strings.
    static var textForm: String? { get }

    /// The value that a field holds, or what the closure gives if it holds something else.
    ///
    /// A requirement, so that each type has a version of its own, which copies no more of the field than it reads: generic
    /// code would copy all of it, 150 instructions, and instantiate the type of an optional for some types, 300 more.
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
        switch value {
        case .int(0): false
        case .int(1): true
        default: nil
        }
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
    /// The number of an integer that is stored by its digits; nil where it would be rounded.
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

    /// A number between two floats reads as the nearer one; one beyond all floats does not read.
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
    // A slice keeps its indices, which would come back from a graph.
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
