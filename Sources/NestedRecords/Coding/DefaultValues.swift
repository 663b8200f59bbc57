/// The values of a type's ignored properties, where decoding finds them in the place of fields.
///
/// They have the positions from ``firstPosition`` downwards.
final class DefaultValues {
    /// The position of the first value: no field and no other mark of ``KeySlots`` has it or one below it.
    private static let firstPosition = -3

    let names: [String]
    let values: [Record.Value]

    /// Makes the values that fields would hold.
    ///
    /// - Parameters:
    ///   - values: The values by the names of the properties.
    ///   - part: The parameter of the schema that has them.
    ///   - model: The type whose properties they are.
    ///   - encode: Gives the value that a field would hold.
    /// - Throws: ``RecordError/invalidSchema(_:type:reason:)`` for a value that no field can hold.
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

    /// The value at a position below all fields; it stays there as long as this object does.
    subscript(position: Int) -> ElementInPlace<Record.Value> {
        ElementsInPlace(values)[Self.firstPosition - position]
    }
}
