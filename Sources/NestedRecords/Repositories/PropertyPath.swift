/// The path to a property of a Swift type, with the fields that it crosses.
struct PropertyPath {
    /// A field that holds a reference to cross.
    struct Crossing {
        let field: PropertyField

        /// The possible types of the referenced record.
        let recordTypes: [String]

        /// Whether the reference may be missing, so that properties of its record are nil.
        let isOptional: Bool
    }

    /// The fields that hold references to cross.
    private(set) var references: [Crossing] = []

    /// The field in the last record.
    private(set) var field: PropertyField

    /// Whether the values of the property are strings of locations.
    private(set) var isLocation = false

    /// Whether the references in the property are cascading.
    private(set) var isCascading = false

    /// Makes a property of a field path.
    init<Model: RecordRepresentable>(_ path: FieldPath, of _: Model.Type, _ coding: RecordCoding) {
        field = PropertyField(path)
        guard let name = path.names.first else { return }
        let info = RecordTypeInfo.info(of: Model.self)
        func has(_ properties: Set<String>) -> Bool {
            properties.contains { coding.keyStrategy.fieldName(for: $0) == name }
        }
        isLocation = path.names.count == 1 && has(info.schema.locations)
        isCascading = has(info.schema.cascading)
    }

    /// Finds the fields of a key path.
    ///
    /// Key paths print the names of stored properties. Such a name is used as a field name only if the type certainly
    /// has a key of that name, and renames no property.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - coding: How the values are decoded: its strategies name the fields.
    /// - Throws: ``RecordQueryError`` with the code `unknownField`.
    init<Model>(_ keyPath: PartialKeyPath<Model>, _ coding: RecordCoding) throws {
        let text = keyPath.debugDescription
        let beginnings = [_typeName(Model.self, qualified: false), "\(Model.self)", String(reflecting: Model.self)]
        guard let rest = beginnings.lazy.compactMap({ text.bytes(behind: "\\\($0).") }).first else {
            throw Self.unknown(keyPath, "it begins at no property of \(Model.self)")
        }
        let components = rest.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        var names: [String] = []
        var owner: Any.Type = Model.self
        var isOptional = false
        field = PropertyField(FieldPath([]))
        for component in components {
            let lastScalar = component.last
            let name = String(lastScalar == "?" || lastScalar == "!" ? component.dropLast() : component)
            guard name.unicodeScalars.allSatisfy(\.properties.isXIDContinue), !name.isEmpty else {
                let kinds = "it is computed, has a wrapper, or belongs to a class that is not final"
                let cause = name.utf8.starts(with: "<computed".utf8) ? ": \(kinds)" : ""
                throw Self.unknown(keyPath, "'\(name)' is no stored property of \(owner)\(cause)")
            }
            if owner == Location.self {
                // A location has no keys. Its parts are those of a value in a field.
                names.append(name)
                field.path = FieldPath(names)
                continue
            }
            if !names.isEmpty, let record = owner as? any RecordDecodable.Type {
                if record is any DynamicRecordRepresentable.Type {
                    throw Self.unknown(keyPath, "the values of \(owner) state their record types themselves")
                }
                if field.defaultValue != nil {
                    throw Self.unknown(keyPath, "'\(field.path)' has a default value, and is a reference")
                }
                guard let subclasses = coding.recordTypes.recordTypes(ofSubclassesOf: record) else {
                    throw Self.unknown(keyPath, "'\(field.path)' may hold a reference to a record of any type")
                }
                let type = record.recordType
                references.append(
                    Crossing(
                        field: field, recordTypes: [type] + subclasses.filter { $0 != type },
                        isOptional: isOptional))
                names = []
                isOptional = false
            }
            let property = try Self.property(name, of: owner, keyPath, coding)
            let schema = (owner as? any RecordRepresentable.Type)?.info.schema
            isLocation = schema?.locations.contains(name) ?? false
            // References inside a cascading property cascade too.
            if names.isEmpty { isCascading = schema?.cascading.contains(name) ?? false }
            let fieldName = coding.keyStrategy.fieldName(for: name)
            if names.isEmpty {
                field = try PropertyField(fieldName, of: name, in: owner, coding)
                names.append(fieldName)
            } else if names.count == 1, let separator = coding.fieldNaming.separator {
                if field.defaultValue != nil {
                    throw Self.unknown(keyPath, "'\(field.path)' has a default value, and is flattened")
                }
                names[0] += separator + fieldName
            } else {
                names.append(fieldName)
            }
            field.path = FieldPath(names)
            owner = (property.type as? any OptionalType.Type)?.wrappedType ?? property.type
            if lastScalar == "?" { isOptional = true }
        }
        if let separator = coding.fieldNaming.separator, !(owner is any RecordRepresentable.Type),
            let type = owner as? any Decodable.Type, Self.mayEmbed(type)
        {
            throw Self.unknown(
                keyPath, "\(owner) is flattened to the fields \(names.joined(separator: "."))\(separator)…")
        }
    }

    private static func mayEmbed<Value: Decodable>(_ type: Value.Type) -> Bool { EmbeddingStrategy.mayEmbed(type) }

    /// The stored property of a type, which has a field of the same name.
    private static func property(
        _ name: String, of owner: Any.Type, _ keyPath: AnyKeyPath, _ coding: RecordCoding
    ) throws -> StoredProperty {
        let properties = StoredProperty.all(of: owner)
        guard let property = properties.first(where: { $0.name == name }) else {
            throw unknown(keyPath, "'\(name)' is no stored property of \(owner)")
        }
        let ignored = (owner as? any RecordRepresentable.Type)?.ignoredPropertyNames ?? []
        if ignored.contains(name) { throw unknown(keyPath, "'\(name)' is an ignored property of \(owner)") }
        guard let type = owner as? any Decodable.Type,
            let keys = PropertyKeys(of: type, userInfo: coding.userInfo), keys.keyType != nil
        else { throw unknown(keyPath, "\(owner) is not decoded by keys") }
        let names = Set(properties.map(\.name))
        func isCoded(_ name: String) -> Bool { ignored.contains(name) || keys.hasKey(named: name) }
        for name in properties.map(\.name) where !isCoded(name) {
            // A property with a wrapper is stored under its name with an underscore, and has a key without it.
            let wrapped = name.bytes(behind: "_") ?? name
            if wrapped != name, !names.contains(wrapped), isCoded(wrapped) { continue }
            throw unknown(keyPath, "\(owner) has no coding key for '\(name)', so it may rename properties")
        }
        return property
    }

    private static func unknown(_ keyPath: AnyKeyPath, _ reason: String) -> RecordQueryError {
        RecordQueryError(
            .unknownField,
            reason: "\(keyPath.debugDescription): \(reason); name the field instead, as in "
                + "QueryField<\(type(of: keyPath).rootType), \(type(of: keyPath).valueType)>(\"name\")")
    }

    /// A filter of the field, applied across the references.
    ///
    /// Without a referenced record the property is nil, and the filter may hold.
    func filter(_ make: (FieldPath) throws -> RecordFilter) throws -> RecordFilter {
        var filter = try field.filter(make)
        guard !references.isEmpty else { return filter }
        let holdsForNil = try make(field.path).holdsForNoRecord()
        for crossing in references.reversed() {
            filter = try crossing.field.filter { path in
                var cases = crossing.recordTypes.map { RecordFilter.refers(path, to: $0, where: filter) }
                if crossing.isOptional, holdsForNil { cases += [.isNull(path), !.exists(path)] }
                return cases.count == 1 ? cases[0] : .any(cases)
            }
        }
        return filter
    }
}

/// An optional of any type.
private protocol OptionalType {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
}

extension RecordRepresentable {
    fileprivate static var info: RecordTypeInfo { RecordTypeInfo.info(of: Self.self) }
    fileprivate static var ignoredPropertyNames: Set<String> { info.ignored }
}
