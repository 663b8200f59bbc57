/// The names of Swift types that are their record types, since they state none.
enum OwnTypeNames {
    private static let names = TypeCache<String>()

    /// The type's own name, without its module and outer types.
    static func name(of model: Any.Type) -> String {
        // What `String(describing:)` gives too, by the way of all values and in fifteen times as long.
        names.info(of: model) { _typeName(model, qualified: false) }
    }

    /// Whether the type was asked for its record type, and took its own name.
    static func isTaken(of model: Any.Type) -> Bool { names[model] != nil }
}
