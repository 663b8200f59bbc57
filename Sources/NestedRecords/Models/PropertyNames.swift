/// The names in a type's schema, until they are confirmed to be coding keys of the type.
final class PropertyNames {
    let model: Any.Type
    private var unknown: [(part: String, name: String)]

    /// A former name that is also the name of a current property, so that both would read one field.
    private var presentName: (name: String, property: String)?
    private var keyTypes: [KeyType] = []

    private struct KeyType {
        let id: ObjectIdentifier
        let name: String
        let has: (String) -> Bool
        let key: (String) -> String?

        /// Whether it has the name of compiler-generated keys; in a private type, the name also has a hash.
        var isNamedCodingKeys: Bool {
            let scalars = name.unicodeScalars
            return scalars.suffix(11).elementsEqual(".CodingKeys".unicodeScalars)
                || scalars.contains(".(CodingKeys in ".unicodeScalars)
        }
    }

    private let info: RecordTypeInfo

    init(of model: Any.Type, _ info: RecordTypeInfo) {
        self.model = model
        self.info = info
        unknown = info.schema.propertyNames
    }

    /// Notes a type of keys of the model's own properties, or of its superclass.
    func note<Key: CodingKey>(_: Key.Type, _ naming: FieldNaming) {
        let id = ObjectIdentifier(Key.self)
        if unknown.isEmpty || keyTypes.contains(where: { $0.id == id }) { return }
        let has = { Key(stringValue: $0) != nil }
        // Before any change of state: a key may start a call itself.
        let rest = unknown.filter { part, name in
            !has(name) && !(part == "locations" && (LocationPaths.parts(of: name).first.map(has) ?? false))
        }
        unknown = rest
        if ByteKey.fits(Key.self), presentName == nil {
            presentName = Self.presentName(in: info.schema.formerNames, has)
        }
        let name = String(reflecting: Key.self)
        keyTypes.append(KeyType(id: id, name: name, has: has) { naming.key(Key.self, forField: $0)?.stringValue })
    }

    private static func presentName(
        in formerNames: [String: [String]], _ isKey: (String) -> Bool
    ) -> (name: String, property: String)? {
        for (property, names) in formerNames {
            if let name = names.first(where: { $0 != property && isKey($0) }) { return (name, property) }
        }
        return nil
    }

    /// Whether this is a subclass that has only used its own keys: the names may be keys of its superclass.
    private var hasUnusedSuperclass: Bool {
        guard let model = model as? AnyClass, _getSuperclass(model) is any RecordRepresentable.Type else {
            return false
        }
        let ownPrefix = String(reflecting: model) + "."
        return keyTypes.allSatisfy { $0.name.utf8.starts(with: ownPrefix.utf8) }
    }

    /// Throws an error for a name that is not a coding key, if that is certain, after the call has succeeded otherwise.
    ///
    /// - Throws: `RecordError.Code.invalidSchema`.
    func check(_ records: some Sequence<Record>, keys: [ObjectIdentifier: [String: String]] = [:]) throws {
        if keyTypes.isEmpty { return }
        if let (name, property) = presentName {
            let reason = "'\(name)' is a property, so it cannot be a former name of '\(property)'"
            throw RecordError.invalidSchema("formerNames", type: "\(model)", reason: reason)
        }
        if unknown.isEmpty { return info.noteCheckedNames() }
        let fields = records.lazy.filter { [info] in info.isDynamic || $0.id.type == info.type }
            .flatMap { $0.fields.names }
        if let fault = fault(fields: fields, keys: keys) { throw fault }
    }

    /// The error for a name that is not a coding key; nil if there is none, or if it is not certain.
    private func fault(fields: some Sequence<String>, keys: [ObjectIdentifier: [String: String]]) -> RecordError? {
        guard let (part, name) = unknown.min(by: { $0 < $1 }), !hasUnusedSuperclass else { return nil }
        // Other types of keys may belong to an older form of the records, which lacks a property.
        guard keyTypes.contains(where: \.isNamedCodingKeys) else { return nil }
        // Some types of keys accept only certain names. Types that accept any name count if a key was used.
        let isCertain = keyTypes.contains { type in
            fields.contains { type.key($0) != nil } || keys[type.id]?.values.contains(where: type.has) ?? false
        }
        guard isCertain else { return nil }
        return .invalidSchema(part, type: "\(model)", reason: "'\(name)' is not one of the type's coding keys")
    }
}
