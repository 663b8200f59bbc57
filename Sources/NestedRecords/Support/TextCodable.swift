package protocol TextCodable: LosslessStringConvertible, Codable {}

extension TextCodable {
    /// Reads the text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the string does not describe a value of the type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the string is not a valid \(Self.self)")
        }
        self = value
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
