/// A value that other coders store as the text that describes it.
public protocol TextCodable: LosslessStringConvertible, Codable {}

extension TextCodable {
    /// Reads the text.
    ///
    /// - Parameter decoder: A decoder with a single string.
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
    ///
    /// - Parameter encoder: An encoder for a single string.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
