/// What a value has become.
enum EncodedValue {
    /// A value for its field, or an element of a list.
    case value(Record.Value)

    /// Something that the record tells without a field.
    case absent

    /// A map whose fields become fields of the record.
    case embedded(Record.Value)

    /// The value for a place that has no field of its own to be left out.
    var stored: Record.Value {
        switch self {
        case .value(let value), .embedded(let value): value
        case .absent: .null
        }
    }
}
