extension Record.Value: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Record.Value: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Record.Value: ExpressibleByFloatLiteral {
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Record.Value: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Record.Value: ExpressibleByArrayLiteral {
    /// A list.
    public init(arrayLiteral elements: Record.Value...) { self = .list(elements) }
}

extension Record.Value: ExpressibleByDictionaryLiteral {
    /// A map; where a name stands twice, the last value wins.
    public init(dictionaryLiteral elements: (String, Record.Value)...) { self = .map(Record.Fields(elements)) }
}
