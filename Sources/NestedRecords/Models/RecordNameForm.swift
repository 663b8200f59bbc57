#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RecordName where Value == UUID {
    /// Makes a name that is written as a UUID, in upper case.
    public init(wrappedValue: UUID) { self.init(value: wrappedValue) }
}

extension RecordName where Value: RawRepresentable, Value.RawValue: LosslessStringConvertible {
    /// Makes a name that is written as the text of a raw value.
    public init(wrappedValue: Value) { self.init(value: wrappedValue) }
}

extension RecordName where Value: RawRepresentable, Value.RawValue == UUID {
    /// Makes a name that is written as a raw value, a UUID in upper case.
    public init(wrappedValue: Value) { self.init(value: wrappedValue) }
}

extension RecordName
where Value: RawRepresentable & LosslessStringConvertible, Value.RawValue: LosslessStringConvertible {
    /// Makes a name that is written as the text of a raw value.
    public init(wrappedValue: Value) { self.init(value: wrappedValue) }
}

extension RecordName where Value: RawRepresentable & LosslessStringConvertible, Value.RawValue == UUID {
    /// Makes a name that is written as a raw value, a UUID in upper case.
    public init(wrappedValue: Value) { self.init(value: wrappedValue) }
}

/// How values of a type are names of records, by the rules for `recordName` of `Identifiable` types.
struct RecordNameForm<Value> {
    let text: (Value) -> String?
    let value: (String) -> Value?

    /// The form for the type; nil if its values are no names.
    static func make() -> Self? {
        func raw<Raw: RawRepresentable>(_: Raw.Type) -> Self? {
            guard let form = RecordNameForm<Raw.RawValue>.makeOfScalar() else { return nil }
            return Self(
                text: { ($0 as? Raw).flatMap { form.text($0.rawValue) } },
                value: { form.value($0).flatMap(Raw.init) as? Value })
        }
        if let type = Value.self as? any RawRepresentable.Type, let form = raw(type) { return form }
        return makeOfScalar()
    }

    private static func makeOfScalar() -> Self? {
        func lossless<Text: LosslessStringConvertible>(_: Text.Type) -> Self {
            Self(text: { ($0 as? Text)?.description }, value: { Text($0) as? Value })
        }
        if Value.self == UUID.self {
            return Self(text: { ($0 as? UUID)?.uuidString }, value: { UUID(uuidString: $0) as? Value })
        }
        return (Value.self as? any LosslessStringConvertible.Type).map { lossless($0) }
    }
}
