extension Record.Value: ExpressibleByStringLiteral {
    /// A string.
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
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Record.Value: ExpressibleByArrayLiteral {
    /// A list.
    public init(arrayLiteral elements: Record.Value...) { self = .list(elements) }
}

extension Record.Value: ExpressibleByDictionaryLiteral {
    /// A map; of a repeated name the last value wins.
    public init(dictionaryLiteral elements: (String, Record.Value)...) { self = .map(Record.Fields(elements)) }
}
