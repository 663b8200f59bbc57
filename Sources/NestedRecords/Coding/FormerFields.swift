/// Renames fields that earlier forms of a type have stored to their current names, and adds missing fields.
final class FormerFields {
    private let formerNames: [String: [String]]
    private let defaults: DefaultValues

    private struct Plan {
        /// Retained, so that no other names get their address.
        let shape: FieldNames?

        /// The names of the fields, followed by the names of added fields; nil if nothing changes.
        let names: FieldNames?
        let added: [Record.Value]
    }

    private struct Shape: Hashable {
        let keyType: ObjectIdentifier
        let names: ObjectIdentifier?
        let isFlat: Bool
    }

    private var plans: [Shape: Plan] = [:]

    /// If more shapes exist, the names are data.
    private static let mostPlans = 256

    init(_ formerNames: [String: [String]], _ defaults: DefaultValues) {
        (self.formerNames, self.defaults) = (formerNames, defaults)
    }

    func present<Key: CodingKey>(
        _ fields: Record.Fields, _: Key.Type, isFlat: Bool, _ naming: FieldNaming, _ keys: FieldKeyResolver
    ) -> Record.Fields? {
        let shape = Shape(
            keyType: ObjectIdentifier(Key.self), names: fields.shape.map(ObjectIdentifier.init), isFlat: isFlat)
        let plan: Plan
        if let known = plans[shape] {
            plan = known
        } else {
            plan = makePlan(fields, Key.self, separator: isFlat ? naming.separator : nil, naming, keys)
            if plans.count < Self.mostPlans { plans[shape] = plan }
        }
        return plan.names.map { Record.Fields($0, values: fields.values + plan.added) }
    }

    private func makePlan<Key: CodingKey>(
        _ fields: Record.Fields, _: Key.Type, separator: String?, _ naming: FieldNaming, _ keys: FieldKeyResolver
    ) -> Plan {
        var names = fields.names
        var added: [Record.Value] = []
        func isPart(_ name: String, of field: String) -> Bool {
            separator.map { name.utf8.starts(with: (field + $0).utf8) } ?? false
        }
        func has(_ field: String) -> Bool { names.contains { $0 == field || isPart($0, of: field) } }
        func isKey(_ property: String) -> Bool { Key(stringValue: property)?.stringValue == property }

        for (property, earlier) in formerNames.sorted(by: { $0.key < $1.key }) where isKey(property) {
            let field = naming.keyStrategy.fieldName(for: property)
            if has(field) { continue }
            for name in naming.keyStrategy.formerFields(of: earlier) {
                // Parts of a flattened value, unless they are properties of their own.
                let parts = names.indices.filter {
                    names[$0] == name || isPart(names[$0], of: name) && keys.key(Key.self, forField: names[$0]) == nil
                }
                // A field of the whole value may have another Unicode spelling.
                for part in parts { names[part] = field + (names[part].bytes(after: name) ?? "") }
                if !parts.isEmpty { break }
            }
        }
        for (property, value) in zip(defaults.names, defaults.values) where isKey(property) {
            let field = naming.keyStrategy.fieldName(for: property)
            if has(field) { continue }
            names.append(field)
            added.append(value)
        }
        return Plan(shape: fields.shape, names: names == fields.names ? nil : FieldNames(names), added: added)
    }
}
