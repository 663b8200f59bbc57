extension RecordStore {
    /// Migrates records that were stored by earlier forms of Swift types.
    ///
    /// ```swift
    /// let report = try await store.migrate(Pupil.self, School.self)
    /// ```
    ///
    /// The rules are those of the types' schemas: former record types and names, defaults and versions. References to
    /// the records change in all records, of any type.
    ///
    /// Nothing is changed if a record cannot be changed, or if two records would get the same ID: the report lists these
    /// records. A record whose type changes is saved under its new ID and gets a new creation date. The references to it
    /// are changed before it is deleted under its former ID, so that no reference ever dangles: also one that another
    /// writer saves during the migration, if the database checks references (``RecordCapabilities/referrerConditions``). In a
    /// scope, a record with a former ID is not deleted if a record outside refers to it.
    ///
    /// The values of unique properties are claimed, and those that several records have are reported: see
    /// <doc:UniqueValues>.
    ///
    /// Stop the writers, migrate, and start them again: a change by another writer may end the migration with the error
    /// of a conflict. An interrupted migration can be repeated.
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - batchSize: The maximum number of records to save together; fewer if ``RecordDatabase/limits`` is lower.
    ///     Up to 100,000 former records are deleted together.
    ///   - isDryRun: Whether to report the changes without saving them.
    ///   - progress: Receives the progress, after the scan of the records and after each batch.
    /// - Returns: A report of the changes, or of the records that cannot be changed.
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid,
    ///   `RecordError.Code.invalidID` for types that no record can have,
    ///   `RecordDatabaseError.Code.stillReferenced` if other writers go on to save references to former records, errors
    ///   of the database, and `CancellationError` if the task is cancelled between two batches.
    /// - Complexity: One pass over all records, a few fetches and saves of those to change, and a search for references
    ///   for each batch of deletions: another pass in a database without an index of references. The memory is in
    ///   proportion to the IDs of the records to change.
    @discardableResult
    public func migrate(
        _ types: any RecordRepresentable.Type..., batchSize: Int = 1_000, isDryRun: Bool = false,
        progress: (@Sendable (MigrationReport) -> Void)? = nil
    ) async throws -> MigrationReport {
        var report = try await calls.migrate(
            RecordMigration(of: types, coding: coding), batchSize: batchSize, isDryRun: isDryRun, progress: progress)
        let unique = try UniqueFields(of: types, coding)
        if !unique.fieldsByType.isEmpty, report.failures.isEmpty {
            report.duplicates = try await calls.uniqueValueProblems(of: unique, mending: !isDryRun)
                .filter { $0.kind == .duplicate }
        }
        return report
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
    package init(of types: [any RecordRepresentable.Type], coding: RecordCoding = RecordCoding()) throws {
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
