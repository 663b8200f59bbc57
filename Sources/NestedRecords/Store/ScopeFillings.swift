/// What the rules for writing fill in, by the Swift type of the values.
struct ScopeFillings: Sendable {
    private var byType: [ObjectIdentifier: any Sendable] = [:]

    mutating func add<Model>(_ filling: @escaping @Sendable (inout Model) throws -> Void) {
        byType[ObjectIdentifier(Model.self)] = Filling(fill: filling)
    }

    /// Adds the fillings of an inner scope, of which one replaces that of the outer scope for the same type.
    mutating func merge(_ inner: ScopeFillings) { byType.merge(inner.byType) { $1 } }

    private struct Filling<Model>: Sendable {
        let fill: @Sendable (inout Model) throws -> Void
    }

    func filled<Model>(_ values: [Model]) throws -> [Model] {
        guard let filling = byType[ObjectIdentifier(Model.self)] as? Filling<Model> else { return values }
        return try values.map { value in
            var value = value
            try filling.fill(&value)
            return value
        }
    }
}
