/// A field that is named with the Swift type of its values, instead of a property.
struct FieldDeclaration {
    let path: FieldPath
    let type: Any.Type
    let coding: RecordCoding

    /// Checks the field against a type of records.
    ///
    /// - Returns: The type of its property, if it is known and not the declared one.
    /// - Throws: ``RecordError`` with the code `unknownField` if the type certainly has no such field, or none with such
    ///   values.
    func otherType(in record: any RecordRepresentable.Type) throws -> Any.Type? {
        guard let name = path.names.first, !Record.isReserved(name) else { return nil }
        let strategy = coding.keyStrategy
        for property in record.info.ignored where strategy.fieldName(for: property) == name {
            throw RecordError(.unknownField, reason: "'\(property)' is an ignored property of \(record)")
        }
        for property in WrappedProperty.all(of: record) where strategy.fieldName(for: property.name) == name {
            guard property.wrapper == .recordName else { continue }
            throw RecordError(
                .unknownField,
                reason: "'\(property.name)' of \(record) is the name of the record, not a field: use $0.recordName")
        }
        guard let fields = ModelFields.known(of: record, userInfo: coding.userInfo) else { return nil }
        try checkExists(name, in: fields, coding.fieldNaming)
        return try otherType(at: path.names[...], in: fields)
    }

    private func checkExists(_ name: String, in fields: ModelFields, _ naming: FieldNaming) throws {
        if fields.has(name, naming) { return }
        let names = fields.written.names.filter { !Record.isReserved($0) }.map(naming.keyStrategy.fieldName)
        let list = names.prefix(10).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 10 ? ", …" : "")
        throw RecordError(.unknownField, reason: "\(fields.model) has no field '\(name)'; it has \(list)")
    }

    private func otherType(at names: ArraySlice<String>, in fields: ModelFields) throws -> Any.Type? {
        guard let name = names.first, let property = fields.property(of: name, coding.keyStrategy) else { return nil }
        let inner = names.dropFirst()
        guard let next = inner.first else { return try otherType(than: property) }
        if case .map(let values) = property.value, !values.areDecimal {
            let content = (property.type as? any OptionalType.Type)?.wrappedType ?? property.type
            guard let fields = ModelFields.known(of: content, userInfo: coding.userInfo) else { return nil }
            try checkExists(next, in: fields, FieldNaming(coding.keyStrategy, .map))
            return try otherType(at: inner, in: fields)
        }
        let mayBePlace = property.value.kind == .string || property.value.kind == .location
        if mayBePlace, inner == ["latitude"] || inner == ["longitude"] { return nil }
        if property.value.kind == .asset, inner.count == 1, RecordAsset.CodingKeys(rawValue: next) != nil { return nil }
        guard let kind = FieldKind(of: property.value) else { return nil }
        throw RecordError(
            .unknownField, reason: "'\(path)' leads into the field '\(name)' of \(fields.model), which has \(kind)")
    }

    private func otherType(than property: (type: Any.Type, value: Record.Value)) throws -> Any.Type? {
        if type == property.type || type == Any.self { return nil }
        if let kind = FieldKind(of: property.type), let declared = FieldKind(of: type), !coding.convertsScalars,
            !kind.mayBe(declared)
        {
            throw RecordError(
                .unknownField, reason: "the field '\(path)' has \(kind), and is used as one with \(declared)")
        }
        return property.type
    }
}

// MARK: Changes

extension FieldDeclaration {
    /// The reason why a type would not write a value that a field of its record is to have; nil if it may.
    static func fault(of value: Record.Value, writtenAs type: Any.Type, _ coding: RecordCoding) -> String? {
        let content = (type as? any OptionalType.Type)?.wrappedType ?? type
        if FieldKind(of: content) == .reference {
            guard case .reference(let reference) = value, reference.isLink != (content is any LinkType.Type) else {
                return nil
            }
            return reference.isLink ? "has nested values, not links" : "has links, not nested values"
        }
        var search = RecordSearch()
        guard let content = content as? any Codable.Type,
            FieldKind(of: content)?.isOfScalars ?? false || !search.mayHoldRecords(content)
        else { return nil }
        return difference(of: value, from: content, coding)
    }

    /// The reason why a type cannot read a value that it has encoded; nil if it can, or if that needs other records.
    static func fault(of value: Record.Value, readAs type: Any.Type, _ coding: RecordCoding) -> String? {
        let content = (type as? any OptionalType.Type)?.wrappedType ?? type
        guard !(content is any FieldScalar.Type), value != .null, let content = content as? any Decodable.Type,
            !value.dependsOnDatabase
        else { return nil }
        return unreadable(value, as: content, coding)
    }

    private static func unreadable<Content: Decodable>(
        _ value: Record.Value, as _: Content.Type, _ coding: RecordCoding
    ) -> String? {
        do {
            let _: Content = try coding.decode(value)
            return nil
        } catch {
            return "would be \(value), which \(Content.self) writes and cannot read: \(error)"
        }
    }

    private static func difference<Content: Codable>(
        of value: Record.Value, from _: Content.Type, _ coding: RecordCoding
    ) -> String? {
        do {
            let content: Content = try coding.decode(value)
            let written = try coding.fieldValue(of: content)
            return written == value ? nil : "would be \(value), which \(Content.self) writes as \(written)"
        } catch {
            return "would be \(value), which is not a value of \(Content.self)"
        }
    }
}

extension Record.Value {
    /// Whether reading the value needs other records or the time of a save.
    fileprivate var dependsOnDatabase: Bool {
        contains { value, _ in
            if case .reference(let reference) = value { !reference.isLink } else { value.kind == .serverTimestamp }
        }
    }
}

extension FieldKind {
    fileprivate var isOfScalars: Bool {
        switch self {
        case .list(let element): element?.isOfScalars ?? false
        case .of(let kind): kind != .reference && kind != .map
        }
    }
}
