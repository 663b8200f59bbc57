extension RecordStore {
    /// Changes properties of a value in its record, without decoding the value; starts again if another writer was
    /// faster.
    ///
    /// ```swift
    /// try await store.change(Note.self, named: 1) {
    ///     $0.text.set("Sail")
    ///     $0.visits.increment()
    ///     $0.tags.append("sea")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - changes: The changes, one a line, which are made in order and saved together.
    /// - Throws: `RecordError.Code.recordNotFound`; `RecordError.Code.newerVersion`;
    ///   ``RecordError`` with the codes `unchangeableField`, also for a new reference to a record that is not in
    ///   the database, and, for a new `id`, `identityChanged`; ``RecordError`` with the code `unknownField` if the
    ///   field of a property cannot be determined; and the errors of ``transaction(maximumAttempts:isolation:_:)``.
    public func change<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible, isolation: isolated (any Actor)? = #isolation,
        @PropertyChange<Value> _ changes: (QueryField<Value, Value>) -> PropertyChange<Value>
    ) async throws {
        try Value.checkIsFound()
        try await change(Record.ID(of: type, named: name), changes(QueryField([])))
    }

    private func change<Value: RecordDecodable>(_ id: Record.ID, _ change: PropertyChange<Value>) async throws {
        let info = RecordTypeInfo.info(of: Value.self)
        if let fault = info.schemaFault { throw fault }
        try await calls.transaction { transaction in
            guard var record = try await transaction.presentRecords(for: [id]).first else {
                throw RecordError(.recordNotFound, recordID: id)
            }
            if let known = info.schema.version, case .int(let version)? = record[Record.versionField], version > known {
                throw RecordError.newerVersion(
                    of: record.id, found: version, known: known, type: "\(Value.self)",
                    context: RecordContext(record: record.id))
            }
            let before = record
            try change.apply(to: &record, coding)
            try checkIdentity(of: Value.self, record, before: before)
            try await checkTargets(of: record, before: before, in: transaction)
            var save = BatchedSave(records: [record], savePolicy: .ifUnchanged)
            save.uniqueFields = UniqueFields(coding.fieldNaming)
            save.known = ResolvedRecords(roots: [], records: [before])
            save.requiresLinkTargets = coding.requiresLinkTargets
            try await save.sendBatches(to: transaction)
        }
    }
}

extension RecordStore {
    /// Refuses another value in the field that names the record: the value could no longer be read.
    private func checkIdentity(of type: any RecordDecodable.Type, _ record: Record, before: Record) throws {
        let field = coding.keyStrategy.fieldName(for: "id")
        guard type is any Identifiable.Type, record[field] != before[field],
            before[field]?.recordName == before.id.name
        else { return }
        throw RecordError.identityChanged(
            from: before.id, to: try Record.ID(type: before.id.type, name: record[field]?.recordName ?? ""))
    }
}

extension RecordStore {
    /// Refuses new references to missing records: the value could no longer be read.
    ///
    /// The transaction requires the records that it has read to be unchanged, so they exist when it is committed.
    private func checkTargets(of record: Record, before: Record, in transaction: any RecordDatabase) async throws {
        let former = Set(before.references.filter { !$0.isLink }.map(\.id))
        let added = Set(record.references.filter { !$0.isLink }.map(\.id)).subtracting(former)
        if added.isEmpty { return }
        let missing = added.subtracting(try await transaction.presentRecords(for: added.sorted()).map(\.id))
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard !reference.isLink, missing.contains(reference.id) else { continue }
            let fault = "would refer to \(reference.id), which is not in the database: save it first"
            throw RecordError(
                .unchangeableField, reason: "'\(walk.pathText)' \(fault)", recordID: record.id)
        }
    }
}

extension Record.Value {
    /// The name of the record with this value as its identifier; nil if the value cannot be an identifier.
    fileprivate var recordName: String? {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}
