enum PropertyStep: Sendable {
    case property(any AnyKeyPath & Sendable)
    case key(String)
    case field(FieldPath)
    case attribute(FieldPath, String)
}

struct PropertyPath {
    struct Crossing {
        let field: PropertyField
        let recordTypes: [String]

        /// Whether the reference may be missing, so that properties of its record are nil.
        let isOptional: Bool
    }

    private(set) var references: [Crossing] = []
    private(set) var field = PropertyField(FieldPath([]))
    private(set) var isLocation = false
    private(set) var isCascading = false

    // The state of the walk: the names in the last record, the type that they lead to, and whether it may be missing.
    private var names: [String] = []
    private var owner: Any.Type
    private var isOptional = false
    private let coding: RecordCoding

    /// Finds the fields of steps.
    ///
    /// Key paths print the names of stored properties. Such a name is used as a field name only if the type certainly
    /// has a key of that name, and renames no property.
    ///
    /// - Throws: ``RecordError`` with the code `unknownField`.
    init(_ steps: [PropertyStep], of model: any RecordDecodable.Type, _ coding: RecordCoding) throws {
        (owner, self.coding) = (model, coding)
        for step in steps {
            switch step {
            case .property(let keyPath): try addProperty(of: keyPath)
            case .key(let key): addKey(key)
            case .field(let path): try addField(path)
            case .attribute(let path, let name):
                try enterRecord()
                guard !StoredProperty.all(of: owner).contains(where: { $0.name == name }) else {
                    throw unknown("'\(name)' is a property of \(owner), and a date of its record")
                }
                try addField(path)
            }
        }
        owner = (owner as? any OptionalType.Type)?.wrappedType ?? owner
        if let separator = coding.fieldNaming.separator, !(owner is any RecordRepresentable.Type),
            let type = owner as? any Decodable.Type, Self.mayEmbed(type)
        {
            throw unknown("\(owner) is flattened to the fields \(names.joined(separator: "."))\(separator)…")
        }
    }

    private static func mayEmbed<Value: Decodable>(_ type: Value.Type) -> Bool { EmbeddingStrategy.mayEmbed(type) }

    private mutating func addProperty(of keyPath: AnyKeyPath) throws {
        isOptional = isOptional || owner is any OptionalType.Type
        owner = (owner as? any OptionalType.Type)?.wrappedType ?? owner
        if owner == Location.self {
            // A location has no keys. Its parts are those of a value in a field.
            names.append(try name(of: keyPath))
            field.path = FieldPath(names)
            owner = type(of: keyPath).valueType
            return
        }
        try enterRecord()
        let name = try name(of: keyPath)
        let property = try property(name)
        guard property.type == type(of: keyPath).valueType else {
            throw unknown("'\(name)' of \(owner) cannot be told from its other properties")
        }
        let schema = (owner as? any RecordRepresentable.Type)?.info.schema
        isLocation = schema?.locations.contains(name) ?? false
        // References inside a cascading property cascade too.
        if names.isEmpty { isCascading = schema?.cascading.contains(name) ?? false }
        let fieldName = coding.keyStrategy.fieldName(for: name)
        if names.isEmpty {
            field = try PropertyField(fieldName, of: name, in: owner, coding)
            names.append(fieldName)
        } else if names.count == 1, let separator = coding.fieldNaming.separator {
            if field.defaultValue != nil { throw unknown("'\(field.path)' has a default value, and is flattened") }
            names[0] += separator + fieldName
        } else {
            names.append(fieldName)
        }
        field.path = FieldPath(names)
        owner = property.type
    }

    private mutating func addKey(_ key: String) {
        names.append(key)
        field.path = FieldPath(names)
        owner = (owner as? any StringDictionary.Type)?.valueType ?? owner
        isLocation = false
        isOptional = true
    }

    private mutating func addField(_ path: FieldPath) throws {
        try enterRecord()
        if let record = owner as? any RecordRepresentable.Type, let name = path.names.first {
            func has(_ properties: Set<String>) -> Bool {
                properties.contains { coding.keyStrategy.fieldName(for: $0) == name }
            }
            isLocation = path.names.count == 1 && has(record.info.schema.locations)
            isCascading = has(record.info.schema.cascading)
        }
        field = PropertyField(path)
        names = path.names
        owner = Any.self
    }

    private mutating func enterRecord() throws {
        if names.isEmpty { return }
        let target = (owner as? any OptionalType.Type)?.wrappedType ?? owner
        if target != owner { isOptional = true }
        guard
            let record = (target as? any LinkType.Type)?.targetType ?? target as? any RecordRepresentable.Type
        else { return }
        if record is any DynamicRecordRepresentable.Type {
            throw unknown("the values of \(record) state their record types themselves")
        }
        if field.defaultValue != nil { throw unknown("'\(field.path)' has a default value, and is a reference") }
        guard let subclasses = (coding.recordTypes ?? RecordTypeRegistry()).recordTypes(ofSubclassesOf: record) else {
            throw unknown("'\(field.path)' may hold a reference to a record of any type")
        }
        let type = record.recordType
        references.append(
            Crossing(
                field: field, recordTypes: [type] + subclasses.filter { $0 != type }, isOptional: isOptional))
        (owner, names, isOptional) = (record, [], false)
    }

    private func name(of keyPath: AnyKeyPath) throws -> String {
        let text = keyPath.debugDescription
        let root = type(of: keyPath).rootType
        let beginnings = [_typeName(root, qualified: false), "\(root)", String(reflecting: root)]
        guard let name = beginnings.lazy.compactMap({ text.bytes(behind: "\\\($0).") }).first, !name.isEmpty,
            name.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
        else {
            throw unknown(
                "the \(type(of: keyPath).valueType) property of \(owner) is not stored under its name: it is computed, has a "
                    + "wrapper, or belongs to a class that is not final\(wrappedProperties)")
        }
        return name
    }

    /// How to name the properties of the owner that have a wrapper of the library.
    private var wrappedProperties: String {
        let spellings = StoredProperty.all(of: owner).compactMap { property -> String? in
            guard let wrapper = property.type as? any RecordPropertyWrapper.Type,
                let name = property.name.bytes(behind: "_")
            else { return nil }
            return "'\(name)' is " + (wrapper.isName ? "$0.recordName" : "$0.field(\"\(name)\", as: …)")
        }
        return spellings.isEmpty ? "" : " (\(spellings.joined(separator: ", ")))"
    }

    private func property(_ name: String) throws -> StoredProperty {
        let properties = StoredProperty.all(of: owner)
        guard let property = properties.first(where: { $0.name == name }) else {
            throw unknown("'\(name)' is no stored property of \(owner)")
        }
        let ignored = (owner as? any RecordRepresentable.Type)?.info.ignored ?? []
        if ignored.contains(name) { throw unknown("'\(name)' is an ignored property of \(owner)") }
        guard let type = owner as? any Decodable.Type,
            let keys = PropertyKeys(of: type, userInfo: coding.userInfo), keys.keyType != nil
        else { throw unknown("'\(name)': \(owner) is not decoded by keys") }
        let names = Set(properties.map(\.name))
        func isCoded(_ name: String) -> Bool { ignored.contains(name) || keys.hasKey(named: name) }
        for name in properties.map(\.name) where !isCoded(name) {
            // A property with a wrapper is stored under its name with an underscore, and has a key without it.
            let wrapped = name.bytes(behind: "_") ?? name
            if wrapped != name, !names.contains(wrapped), isCoded(wrapped) { continue }
            throw unknown("\(owner) has no coding key for '\(name)', so it may rename properties")
        }
        return property
    }

    private func unknown(_ reason: String) -> RecordError {
        RecordError(
            .unknownField, reason: "\(reason); name the field instead, as in $0.field(\"name\", as: String.self)")
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

private protocol OptionalType {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
}

private protocol LinkType {
    static var targetType: any RecordRepresentable.Type { get }
}

extension RecordLink: LinkType {
    static var targetType: any RecordRepresentable.Type { Target.self }
}

private protocol RecordPropertyWrapper {
    static var isName: Bool { get }
}

extension RecordName: RecordPropertyWrapper {
    static var isName: Bool { true }
}

extension ServerTimestamp: RecordPropertyWrapper {
    static var isName: Bool { false }
}

extension ExplicitNull: RecordPropertyWrapper {
    static var isName: Bool { false }
}

private protocol StringDictionary {
    static var valueType: Any.Type { get }
}

extension Dictionary: StringDictionary where Key == String {
    static var valueType: Any.Type { Value.self }
}

extension RecordRepresentable {
    fileprivate static var info: RecordTypeInfo { RecordTypeInfo.info(of: Self.self) }
}
