extension RecordStore {
    /// Migrates records that were stored by earlier forms of Swift types.
    ///
    /// ```swift
    /// let report = try await store.migrate(Pupil.self, School.self)
    /// ```
    ///
    /// Like ``RecordDatabase/migrate(_:options:)``, with the rules of the types' schemas: former record types and names,
    /// defaults and versions. References to the records change in all records, of any type.
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - options: The size of batches, and what to do with progress.
    /// - Returns: A report of the changes, and of the records that could not be changed.
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid, and the errors of
    ///   ``RecordDatabase/migrate(_:options:)``.
    @discardableResult
    public func migrate(
        _ types: any RecordRepresentable.Type..., options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationReport {
        try await database.migrate(RecordMigration(of: types, coding: coding), options: options)
    }
}

extension RecordMigration {
    /// Makes a migration from the schemas of Swift types, which state the earlier forms of their records.
    ///
    /// The parts of flattened values keep former names: they cannot be distinguished from other fields.
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - coding: How their values are encoded.
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid.
    public init(of types: [any RecordRepresentable.Type], coding: RecordCoding = RecordCoding()) throws {
        self.init()
        for type in types {
            let info = RecordTypeInfo.info(of: type)
            if let fault = info.schemaFault { throw fault }
            for former in info.schema.formerRecordTypes { renameType(former, to: info.type) }
            if info.hasHistory { try add(info.schema, recordType: info.type, model: type, coding) }
        }
    }

    private mutating func add(
        _ schema: RecordSchema, recordType: String, model: any RecordRepresentable.Type, _ options: RecordCoding
    ) throws {
        var rules = fields[recordType] ?? FieldRules()
        let strategy = options.keyStrategy
        for (property, names) in schema.formerNames {
            let field = strategy.fieldName(for: property)
            rules.formerNames[field, default: []] += strategy.formerFields(of: names).filter { $0 != field }
        }
        var coding = RecordCoding()
        (coding.keyStrategy, coding.embeddingStrategy) = (strategy, options.embeddingStrategy)
        for (property, value) in schema.defaults {
            do {
                rules.defaults[strategy.fieldName(for: property)] = try coding.encode(fieldValue: value)
            } catch {
                let reason = "the value of '\(property)' cannot be stored: \(error)"
                throw RecordError.invalidSchema("defaults", type: "\(model)", reason: reason)
            }
        }
        rules.version = schema.version.map { max($0, rules.version ?? 0) } ?? rules.version
        rules.separator = options.embeddingStrategy.separator
        if rules != FieldRules(separator: rules.separator) { fields[recordType] = rules }
    }
}
