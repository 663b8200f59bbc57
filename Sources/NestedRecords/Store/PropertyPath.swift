enum PropertyStep: Sendable {
    case property(any AnyKeyPath & Sendable)
    case key(String)
    case field(FieldPath, as: Any.Type)
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
    private(set) var normalize: (@Sendable (String) -> String)?

    /// The paths of locations in the values of the property.
    private(set) var innerLocations: [[String]] = []
    private(set) var wrapper: WrappedProperty.Wrapper?

    /// The type of the property that a field was named for, if it is another than the type that was named with it.
    private(set) var otherType: Any.Type?

    // The state of the walk: the names in the last record, the type that they lead to, and whether it may be missing.
    private var names: [String] = []
    private var owner: Any.Type
    private var isOptional = false
    private var schema: RecordSchema?
    private let coding: RecordCoding

    /// Finds the fields of steps.
    ///
    /// Key paths give the names of stored properties without wrappers; those with wrappers are found with samples. Such a
    /// name is used as a field name only if the type certainly has a key of that name, and renames no property.
    ///
    /// - Throws: ``RecordError`` with the code `unknownField`.
    init(_ steps: [PropertyStep], of model: any RecordDecodable.Type, _ coding: RecordCoding) throws {
        (owner, self.coding) = (model, coding)
        for step in steps {
            switch step {
            case .property(let keyPath): try addProperty(of: keyPath)
            case .key(let key): addKey(key)
            case .field(let path, let type): try addField(path, as: type)
            case .attribute(let path, let name):
                try enterRecord()
                guard !StoredProperty.all(of: owner).contains(where: { $0.name == name }) else {
                    throw unknown("'\(name)' is a property of \(owner), and a date of its record")
                }
                try addField(path, as: Any.self)
            }
        }
        findLocations()
        normalize = schema?.normalizing.first { [coding.keyStrategy.fieldName(for: $0.key)] == field.path.names }?.value
        owner = (owner as? any OptionalType.Type)?.wrappedType ?? owner
        if field.path.attribute == nil, let separator = coding.fieldNaming.separator,
            !(owner is any RecordRepresentable.Type),
            let type = owner as? any Decodable.Type, Self.mayEmbed(type)
        {
            throw unknown("\(owner) is flattened to the fields \(names.joined(separator: "."))\(separator)…")
        }
    }

    private mutating func findLocations() {
        for location in schema?.locations ?? [] {
            let path = LocationPaths.parts(of: location).map(coding.keyStrategy.fieldName)
            for count in path.indices.map({ $0 + 1 }) {
                let start = Array(path.prefix(count))
                let names = coding.fieldNaming.separator.map { [start.joined(separator: $0)] } ?? start
                guard names == field.path.names else { continue }
                if count == path.count { isLocation = true } else { innerLocations.append(Array(path[count...])) }
            }
        }
    }

    private static func mayEmbed<Value: Decodable>(_ type: Value.Type) -> Bool { EmbeddingStrategy.mayEmbed(type) }

    private mutating func addProperty(of keyPath: AnyKeyPath) throws {
        if field.path.attribute != nil { throw unknown("'\(field.path)' is a single value") }
        isOptional = isOptional || owner is any OptionalType.Type
        owner = (owner as? any OptionalType.Type)?.wrappedType ?? owner
        if owner == Location.self || owner == RecordAsset.self {
            // They have no keys. Their parts are those of a value in a field.
            guard let name = keyPath.propertyName else { throw unnamed(keyPath) }
            names.append(name)
            field.path = FieldPath(names)
            owner = type(of: keyPath).valueType
            (wrapper, otherType) = (nil, nil)
            return
        }
        try enterRecord()
        let property = try property(of: keyPath)
        (wrapper, otherType) = (property.wrapper, nil)
        if names.isEmpty {
            schema = (owner as? any RecordRepresentable.Type)?.info.schema
            if wrapper == .recordName, schema != nil {
                (field, isCascading) = (PropertyField(.recordName), false)
                owner = property.type
                return
            }
            // References inside a cascading property cascade too.
            isCascading = schema?.cascading.contains(property.name) ?? false
        }
        let fieldName = coding.keyStrategy.fieldName(for: property.name)
        if names.isEmpty {
            field = try PropertyField(fieldName, of: property.name, in: owner, coding)
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
        wrapper = nil
        isOptional = true
    }

    private mutating func addField(_ path: FieldPath, as type: Any.Type) throws {
        try enterRecord()
        (wrapper, otherType, isCascading) = (nil, nil, false)
        if let record = owner as? any RecordRepresentable.Type, let name = path.names.first {
            let schema = record.info.schema
            self.schema = schema
            isCascading = schema.cascading.contains { coding.keyStrategy.fieldName(for: $0) == name }
            let declaration = FieldDeclaration(path: path, type: type, coding: coding)
            otherType = try declaration.otherType(in: record)
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

    private func unnamed(_ keyPath: AnyKeyPath) -> RecordError {
        if case .list? = FieldKind(of: owner) {
            return RecordError(
                .unknownField,
                reason: "'\(field.path)' is a list, and properties of a list or of its elements are no fields; "
                    + "'contains' finds an element")
        }
        let spellings = WrappedProperty.all(of: owner).map { property in
            let isName = property.wrapper == .recordName && owner is any RecordRepresentable.Type
            return "'\(property.name)' is "
                + (isName ? "$0.recordName" : "$0.field(\"\(property.name)\", as: \(property.type).self)")
        }
        let hint = spellings.isEmpty ? "" : " (\(spellings.joined(separator: ", ")))"
        return unknown(
            "the \(type(of: keyPath).valueType) property of \(owner) is not stored under its name: it is computed, has a "
                + "wrapper that cannot be examined, or belongs to a class that is not final\(hint)")
    }

    private func property(
        of keyPath: AnyKeyPath
    ) throws -> (name: String, type: Any.Type, wrapper: WrappedProperty.Wrapper?) {
        let properties = StoredProperty.all(of: owner)
        let name = keyPath.propertyName
        if let name, let property = properties.first(where: { $0.name == name }) {
            try checkKey(name, of: properties)
            guard property.type == type(of: keyPath).valueType else {
                throw unknown("'\(name)' of \(owner) cannot be distinguished from its other properties")
            }
            return (name, property.type, nil)
        }
        if let property = WrappedProperty.property(readBy: keyPath, named: name, of: owner, userInfo: coding.userInfo) {
            try checkKey(property.name, of: properties)
            return (property.name, property.type, property.wrapper)
        }
        throw name.map { unknown("'\($0)' is not a stored property of \(owner)") } ?? unnamed(keyPath)
    }

    private func checkKey(_ name: String, of properties: [StoredProperty]) throws {
        let ignored = (owner as? any RecordRepresentable.Type)?.info.ignored ?? []
        if ignored.contains(name) { throw unknown("'\(name)' is an ignored property of \(owner)") }
        guard let type = owner as? any Decodable.Type,
            let keys = PropertyKeys(of: type, userInfo: coding.userInfo), keys.keyType != nil
        else { throw unknown("'\(name)': \(owner) is not decoded by keys") }
        let names = Set(properties.map(\.name))
        func isCoded(_ name: String) -> Bool { ignored.contains(name) || keys.hasKey(named: name) }
        for name in properties.map(\.name) where !isCoded(name) {
            // A property with a wrapper is stored under its name with an underscore, and has a key without it.
            let wrapped = name.bytes(after: "_") ?? name
            if wrapped != name, !names.contains(wrapped), isCoded(wrapped) { continue }
            throw unknown("\(owner) has no coding key for '\(name)', so it may rename properties")
        }
    }

    private func unknown(_ reason: String) -> RecordError {
        RecordError(
            .unknownField, reason: "\(reason); name the field instead, as in $0.field(\"name\", as: String.self)")
    }

    /// Throws an error for a name that is a number: records are in the order of the texts of their names.
    func checkIsOrdered() throws {
        guard wrapper == .recordName, field.path == .recordName, FieldKind(of: owner) == .number else { return }
        throw RecordError(
            .unknownField,
            reason: "names of records are ordered as strings, 10 before 9, and not as \(owner); "
                + "use $0.recordName for this order")
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

protocol LinkType {
    static var targetType: any RecordRepresentable.Type { get }
}

extension RecordLink: LinkType {
    static var targetType: any RecordRepresentable.Type { Target.self }
}

protocol StringDictionary {
    static var valueType: Any.Type { get }
}

extension Dictionary: StringDictionary where Key == String {
    static var valueType: Any.Type { Value.self }
}

extension RecordRepresentable {
    static var info: RecordTypeInfo { RecordTypeInfo.info(of: Self.self) }
}
