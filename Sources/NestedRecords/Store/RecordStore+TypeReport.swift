extension RecordStore {
    /// Compares the records in the database with the types of a program.
    ///
    /// ```swift
    /// let report = try await store.checkTypes(Project.self, Site.self)
    /// if !report.isComplete { logger.warning("\(report)") }
    /// ```
    ///
    /// The records of a Swift type that was renamed exist under its former record type, and no query finds them. A
    /// program that calls this when it starts reports them. Nothing is changed.
    ///
    /// The given types, those that are registered with ``RecordCoding/register(_:)``, and those of their properties and
    /// links count as read, through any number of levels. The types in the cases of an enumeration are not visible:
    /// give them too. A ``DynamicRecordRepresentable`` type may read any record, so with one no type is unread. The store
    /// of a scope compares the records that the scope may read.
    ///
    /// Fields are compared at the first level of a record, with the keys of the type's first keyed container and those
    /// of its superclasses. All fields count as read of a type that accepts any key or has no keyed container, and if a
    /// ``KeyStrategy/custom(_:propertyName:)`` strategy has no conversion back.
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - includingFields: Whether to look for fields that no type reads.
    /// - Returns: A report, whose description consists of sentences.
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid, `RecordError.Code.invalidID` for types
    ///   that no record can have, errors of the database, and `CancellationError`.
    /// - Complexity: With fields, one pass over all records. Otherwise the records are counted by an index: in memory for
    ///   a record file, in one statement of O(*n*) for *n* records in SQLite and on PostgreSQL. Other databases, and
    ///   stores of a scope, read all records.
    public func checkTypes(
        _ types: any RecordDecodable.Type..., includingFields: Bool = false
    ) async throws -> TypeReport {
        try await database.typeReport(of: ReadTypes(of: types, coding: coding), includingFields: includingFields)
    }
}

extension ReadTypes {
    /// The types that are read with some Swift types, in any of their properties.
    fileprivate init(of types: [any RecordDecodable.Type], coding: RecordCoding) throws {
        self.init()
        var pending = types.map { (type: $0 as any RecordRepresentable.Type, isGiven: true) }
        pending += (coding.recordTypes?.all ?? []).map { ($0, false) }
        var known: Set<ObjectIdentifier> = []
        while let (type, isGiven) = pending.popLast() {
            // A type that is given twice, or that is also a property, is required once.
            guard known.insert(ObjectIdentifier(type)).inserted || isGiven else { continue }
            pending += try add(type, isGiven: isGiven, coding).map { ($0, false) }
        }
    }

    /// Adds a type, and returns the types of its properties.
    private mutating func add<Model: RecordRepresentable>(
        _ model: Model.Type, isGiven: Bool, _ coding: RecordCoding
    ) throws -> [any RecordRepresentable.Type] {
        let info = RecordTypeInfo.info(of: model)
        if let fault = info.schemaFault { throw fault }
        if info.isDynamic {
            readsAnyType = true
        } else if let fault = info.typeFault {
            throw RecordError.invalidID(type: info.type, name: "", reason: fault, context: nil)
        } else {
            add(info.type, isRequired: isGiven, reads: Self.fieldTest(of: model, info, coding))
        }
        for former in info.schema.formerRecordTypes { add(former: former, of: info.type) }
        var search = RecordSearch()
        for property in StoredProperty.all(of: model) { _ = search.mayHoldRecords(property.type) }
        return search.models + search.linkedTypes
    }

    /// Tests whether a type reads a field; nil if it may read every field.
    private static func fieldTest(
        of model: any RecordRepresentable.Type, _ info: RecordTypeInfo, _ coding: RecordCoding
    ) -> FieldTest? {
        if case .custom(_, nil) = coding.keyStrategy { return nil }
        guard let keyTypes = keyTypes(of: model, coding) else { return nil }
        let naming = coding.fieldNaming
        let former = coding.keyStrategy.formerFields(of: info.schema.formerNames.values.flatMap { $0 })
        let ignored = info.ignored
        // What a superclass stores in a container of its own.
        let nested = model is AnyClass ? "super" : nil
        return { field in
            field == nested
                || keyTypes.contains { naming.property(of: $0, forField: field).map { !ignored.contains($0) } ?? false }
                || former.contains { name in
                    name == field || naming.separator.map { field.utf8.starts(with: (name + $0).utf8) } ?? false
                }
        }
    }

    /// The types of the keys of a type and its superclasses; nil if they are not known, or accept any key.
    private static func keyTypes(
        of model: any RecordRepresentable.Type, _ coding: RecordCoding
    ) -> [any CodingKey.Type]? {
        guard let decodable = model as? any Decodable.Type else { return nil }
        var types: [any Decodable.Type] = [decodable]
        var superclass: AnyClass? = (model as? AnyClass).flatMap { _getSuperclass($0) }
        while let found = superclass {
            if let decodable = found as? any Decodable.Type { types.append(decodable) }
            superclass = _getSuperclass(found)
        }
        var keyTypes: [any CodingKey.Type] = []
        for type in types {
            guard let keyType = PropertyKeys(of: type, userInfo: coding.userInfo)?.keyType,
                !FieldNaming.isOpen(keyType)
            else { return nil }
            keyTypes.append(keyType)
        }
        return keyTypes
    }
}

extension FieldNaming {
    fileprivate func property<Key: CodingKey>(of keys: Key.Type, forField field: String) -> String? {
        key(keys, forField: field)?.stringValue
    }
}
