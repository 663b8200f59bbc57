#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type with a value that says nothing: what an ``Ignored`` property comes back as.
///
/// Optionals, collections, texts, numbers and truth values have one. Other types can say which it is.
public protocol EmptyRepresentable {
    /// The value that says nothing.
    static var emptyValue: Self { get }
}

extension EmptyRepresentable where Self: ExpressibleByIntegerLiteral {
    /// Zero.
    public static var emptyValue: Self { 0 }
}

extension EmptyRepresentable where Self: RangeReplaceableCollection {
    /// No elements.
    public static var emptyValue: Self { Self() }
}

extension Optional: EmptyRepresentable {
    /// Nil.
    public static var emptyValue: Self { nil }
}

extension Bool: EmptyRepresentable {
    /// False.
    public static var emptyValue: Bool { false }
}

extension Set: EmptyRepresentable {
    /// No elements.
    public static var emptyValue: Self { [] }
}

extension Dictionary: EmptyRepresentable {
    /// No entries.
    public static var emptyValue: Self { [:] }
}

extension Duration: EmptyRepresentable {
    /// No time.
    public static var emptyValue: Duration { .zero }
}

extension Array: EmptyRepresentable {}
extension ArraySlice: EmptyRepresentable {}
extension ContiguousArray: EmptyRepresentable {}
extension String: EmptyRepresentable {}
extension Substring: EmptyRepresentable {}
extension Data: EmptyRepresentable {}
extension Int: EmptyRepresentable {}
extension Int8: EmptyRepresentable {}
extension Int16: EmptyRepresentable {}
extension Int32: EmptyRepresentable {}
extension Int64: EmptyRepresentable {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension Int128: EmptyRepresentable {}
extension UInt: EmptyRepresentable {}
extension UInt8: EmptyRepresentable {}
extension UInt16: EmptyRepresentable {}
extension UInt32: EmptyRepresentable {}
extension UInt64: EmptyRepresentable {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension UInt128: EmptyRepresentable {}
extension Double: EmptyRepresentable {}
extension Float: EmptyRepresentable {}
extension Decimal: EmptyRepresentable {}
