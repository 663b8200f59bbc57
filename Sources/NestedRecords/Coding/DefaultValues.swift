/// The values of a type's ignored properties, at positions where decoding finds them in place of fields.
///
/// Their positions start at ``firstPosition`` and go down.
final class DefaultValues {
    private static let firstPosition = -3
    let names: [String]
    let values: [Record.Value]

    /// Makes the values in their stored form.
    ///
    /// - Throws: `RecordError.Code.invalidSchema` for a value that no field can store.
    init(
        _ values: [String: any Encodable], in part: String, of model: Any.Type,
        encode: (any Encodable) throws -> Record.Value
    ) throws {
        names = values.keys.sorted()
        var encoded: [Record.Value] = []
        for name in names {
            do {
                encoded.append(try values[name].map { try encode($0) } ?? .null)
            } catch {
                let reason = "the value of '\(name)' cannot be stored: \(error)"
                throw RecordError.invalidSchema(part, type: "\(model)", reason: reason)
            }
        }
        self.values = encoded
    }

    func position(of name: String) -> Int? { names.firstIndex(of: name).map { Self.firstPosition - $0 } }

    subscript(position: Int) -> ElementInPlace<Record.Value> {
        ElementsInPlace(values)[Self.firstPosition - position]
    }
}
