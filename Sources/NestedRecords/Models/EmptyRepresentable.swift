#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The optionals and collections that ``Ignored`` supports.
public protocol _EmptyRepresentable {
    /// Nil, or a collection without elements.
    static var _emptyValue: Self { get }
}

extension _EmptyRepresentable where Self: RangeReplaceableCollection {
    /// No elements.
    public static var _emptyValue: Self { Self() }
}

extension Optional: _EmptyRepresentable {
    /// Nil.
    public static var _emptyValue: Self { nil }
}

extension Set: _EmptyRepresentable {
    /// No elements.
    public static var _emptyValue: Self { [] }
}

extension Dictionary: _EmptyRepresentable {
    /// No entries.
    public static var _emptyValue: Self { [:] }
}

extension Array: _EmptyRepresentable {}
extension ArraySlice: _EmptyRepresentable {}
extension ContiguousArray: _EmptyRepresentable {}
extension String: _EmptyRepresentable {}
extension Substring: _EmptyRepresentable {}
extension Data: _EmptyRepresentable {}
