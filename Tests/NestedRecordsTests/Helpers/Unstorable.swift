/// A value that no coder takes.
struct Unstorable: Codable, Equatable, Sendable {
    func encode(to encoder: any Encoder) throws {
        let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "it is not stored")
        throw EncodingError.invalidValue(self, context)
    }
}
