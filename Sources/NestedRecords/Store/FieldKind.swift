#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The kind of values that a field has for a Swift type.
enum FieldKind: Equatable {
    /// A kind other than null and lists: a number for all numbers, a date also for the time of a save.
    case of(Record.Value.Kind)
    indirect case list(FieldKind?)

    static let number = FieldKind.of(.double)
    static let reference = FieldKind.of(.reference)

    /// Nil for types that code themselves.
    init?(of type: Any.Type) {
        if let type = type as? any KindOfField.Type {
            guard let kind = type.kind else { return nil }
            self = kind
        } else if type is any RecordRepresentable.Type || type is any LinkType.Type {
            self = .reference
        } else if let type = type as? any FieldScalar.Type {
            guard let kind = Self.kind(of: type) else { return nil }
            self = kind
        } else if let type = type as? any RawRepresentable.Type, let kind = FieldKind(ofRawValueOf: type) {
            self = kind
        } else {
            return nil
        }
    }

    private init?<Type: RawRepresentable>(ofRawValueOf _: Type.Type) { self.init(of: Type.RawValue.self) }

    private static func kind(of type: any FieldScalar.Type) -> FieldKind? {
        if type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type || type == Decimal.self {
            return .number
        }
        let kinds: [ObjectIdentifier: Record.Value.Kind] = [
            ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(String.self): .string,
            ObjectIdentifier(URL.self): .string, ObjectIdentifier(UUID.self): .string,
            ObjectIdentifier(Date.self): .date, ObjectIdentifier(ServerTimestamp.self): .date,
            ObjectIdentifier(Data.self): .bytes, ObjectIdentifier(Location.self): .location,
            ObjectIdentifier(RecordAsset.self): .asset, ObjectIdentifier(Record.Reference.self): .reference,
            ObjectIdentifier(Record.Fields.self): .map,
        ]
        return kinds[ObjectIdentifier(type)].map(FieldKind.of)
    }

    /// Nil for null.
    init?(of value: Record.Value) {
        if value.kind == .null { return nil }
        if case .map(let fields) = value, fields.areDecimal {
            self = .number
        } else if value.kind == .list {
            self = .list(nil)
        } else {
            self = value.kind.isNumber ? .number : .of(value.kind == .serverTimestamp ? .date : value.kind)
        }
    }

    /// Whether a field of this kind may have values of another.
    func mayBe(_ other: FieldKind) -> Bool {
        guard case (.list(let element), .list(let other)) = (self, other) else { return self == other }
        guard let element, let other else { return true }
        return element.mayBe(other)
    }
}

extension FieldKind: CustomStringConvertible {
    var description: String {
        switch self {
        case .of(let kind): kind.plural
        case .list(let element): element.map { "lists of \($0)" } ?? "lists"
        }
    }
}

private protocol KindOfField {
    static var kind: FieldKind? { get }
}

extension Optional: KindOfField {
    fileprivate static var kind: FieldKind? { FieldKind(of: Wrapped.self) }
}

extension Array: KindOfField {
    fileprivate static var kind: FieldKind? { .list(FieldKind(of: Element.self)) }
}

extension Set: KindOfField {
    fileprivate static var kind: FieldKind? { .list(FieldKind(of: Element.self)) }
}

extension Dictionary: KindOfField {
    fileprivate static var kind: FieldKind? { Key.self == String.self ? .of(.map) : nil }
}
