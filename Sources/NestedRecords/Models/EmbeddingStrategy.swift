/// How embedded values, which do not become records, are stored.
public enum EmbeddingStrategy: Sendable, Hashable {
    /// A value is a map in one field.
    case map

    /// The fields of a value become fields of the record. Each name begins with the name of the property and the
    /// separator: `cover_small`, `cover_large`.
    ///
    /// Lists and dictionaries, with all that they contain, are not flattened. A value without fields is stored as an
    /// empty map. If the field of another property begins with the same name and separator, encoding fails, also where
    /// the embedded value is nil. So the fields of two properties are never confused.
    case flattened(separator: String = "_")

    var separator: String? {
        if case .flattened(let separator) = self { separator } else { nil }
    }
}

extension EmbeddingStrategy {
    /// Whether values of a type may become a map that can be flattened.
    ///
    /// Collections and values that a field stores directly do not. A record does if it is handed an encoder.
    static func mayEmbed<Value>(_: Value.Type) -> Bool {
        func isSingleValue<Raw: RawRepresentable>(_: Raw.Type) -> Bool {
            singleRawValues.contains(ObjectIdentifier(Raw.RawValue.self))
        }
        if let type = Value.self as? any FieldForm.Type { return type.mayEmbed }
        if Value.self is any FieldScalar.Type || Value.self is any UnorderedCollection.Type { return false }
        if Value.self is any RecordUnion.Type { return false }
        return !((Value.self as? any RawRepresentable.Type).map { isSingleValue($0) } ?? false)
    }

    /// The types of raw values that the standard library encodes as single values.
    ///
    /// A value with a raw value of any other type is encoded with a key for it.
    private static let singleRawValues: Set<ObjectIdentifier> = {
        let types: [Any.Type] = [
            Bool.self, String.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
            UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        ]
        return Set(types.map(ObjectIdentifier.init))
    }()
}

protocol FieldForm {
    static var mayEmbed: Bool { get }
}

extension FieldForm {
    static var mayEmbed: Bool { false }
}

extension Optional: FieldForm {
    static var mayEmbed: Bool { EmbeddingStrategy.mayEmbed(Wrapped.self) }
}

extension ExplicitNull: FieldForm {
    static var mayEmbed: Bool { EmbeddingStrategy.mayEmbed(Wrapped.self) }
}

extension Record.Metadata: FieldForm {
    static var mayEmbed: Bool { true }
}

extension Array: FieldForm {}
// `Duration` writes a list of two integers.
extension Duration: FieldForm {}
extension RecordLink: FieldForm {}
extension RecordName: FieldForm {}

extension Record.Fields {
    /// The fields whose names begin with this prefix and satisfy the condition, without it; nil if there are none.
    func withoutPrefix(_ prefix: String, where isIncluded: (String) -> Bool) -> Record.Fields? {
        var rest = Record.Fields()
        for (name, value) in self {
            if let inner = name.bytes(after: prefix), isIncluded(name) { rest.append(inner, value) }
        }
        return rest.isEmpty ? nil : rest
    }
}

extension String {
    func beginnings(before separator: String) -> [String] {
        let (text, separator) = (Array(utf8), Array(separator.utf8))
        return text.indices.dropFirst().compactMap { end in
            text[end...].starts(with: separator) ? String(decoding: text[..<end], as: UTF8.self) : nil
        }
    }
}
