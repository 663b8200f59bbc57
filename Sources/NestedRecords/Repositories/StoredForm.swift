/// How the records of a fetched value are stored: under former record types, and with former fields.
///
/// A save changes what it was asked to change. So a record keeps the type under which it was read: references from
/// anywhere lead to it, and finding them takes all records. Fields that it has under former names get their present
/// ones, since nothing may be stored twice.
struct StoredForm {
    /// The IDs of the records that were read, by the IDs that the value gives them now.
    private let storedIDs: [Record.ID: Record.ID]

    /// The present types of the records that were read under a former one.
    private let presentTypes: [Record.ID: String]

    private let naming: FieldNaming
    private let isEmpty: Bool

    /// - Parameters:
    ///   - graphs: What the value becomes.
    ///   - read: The records that it was read from.
    ///   - naming: How properties become fields.
    init(of graphs: [RecordGraph], read: RecordGraph, _ naming: FieldNaming) {
        self.naming = naming
        isEmpty = KnownHistories.isEmpty
        var storedIDs: [Record.ID: Record.ID] = [:]
        var presentTypes: [Record.ID: String] = [:]
        var formerTypes: [String: [String]] = [:]
        if !isEmpty {
            for record in graphs.joined() where read[record.id] == nil {
                let type = record.id.type
                let types = formerTypes[type] ?? KnownHistories.formerTypes(of: type)
                formerTypes[type] = types
                let ids = types.lazy.map { Record.ID(checkedType: $0, name: record.id.name) }
                guard let id = ids.first(where: { read[$0] != nil }) else { continue }
                storedIDs[record.id] = id
                presentTypes[id] = type
            }
        }
        (self.storedIDs, self.presentTypes) = (storedIDs, presentTypes)
    }

    /// What the value becomes, under the IDs of the records that were read.
    func stored(_ graph: RecordGraph) -> RecordGraph {
        if storedIDs.isEmpty { return graph }
        var records: ContiguousArray<Record> = []
        var index = RecordIndex(capacity: graph.count)
        for record in graph.records {
            let id = storedIDs[record.id] ?? record.id
            let fields = record.replacingReferences { storedIDs[$0] }.fields
            index.insert(RecordIndex.hash(of: id), at: records.count)
            records.append(Record(id: id, checkedFields: fields, metadata: record.metadata))
        }
        return RecordGraph(roots: graph.roots.map { storedIDs[$0] ?? $0 }, records: records, index: index)
    }

    /// The records that were read, with present names for the fields that the value has.
    func present(_ read: RecordGraph, _ graphs: [RecordGraph]) -> RecordGraph {
        if isEmpty { return read }
        var records = read.records
        var isChanged = false
        for position in records.indices {
            guard let record = present(records[position], graphs) else { continue }
            records[position] = record
            isChanged = true
        }
        return isChanged ? RecordGraph(roots: read.roots, records: records, index: read.index) : read
    }

    /// Records to save, with null for each property that was set to nil where a field of a former name would be read.
    ///
    /// A record has both where a program that knows only the former name has changed it meanwhile.
    func coveringFormerFields(_ records: [Record], changedFrom before: RecordGraph) -> [Record] {
        if isEmpty { return records }
        return records.map { record in
            guard let before = before[record.id] else { return record }
            var record = record
            for (property, former) in KnownHistories.formerNames(of: presentTypes[record.id] ?? record.id.type) {
                let field = naming.keyStrategy.fieldName(for: property)
                guard before[field] != nil, record[field] == nil else { continue }
                let isFound = TypeHistory.formerFields(former, naming.keyStrategy).contains { record[$0] != nil }
                if isFound { record[field] = .null }
            }
            return record
        }
    }

    /// A record with present names for the fields that the value has; nil if nothing is to be renamed.
    ///
    /// - Parameters:
    ///   - record: A record of the value, as it is stored.
    ///   - graphs: What the value becomes: ``stored(_:)``.
    func present(_ record: Record, _ graphs: [RecordGraph]) -> Record? {
        if isEmpty { return nil }
        let known = graphs.compactMap { $0[record.id] }
        guard !known.isEmpty else { return nil }
        var names = record.fields.names
        let formerNames = KnownHistories.formerNames(of: presentTypes[record.id] ?? record.id.type)
        for (property, former) in formerNames {
            let field = naming.keyStrategy.fieldName(for: property)
            let parts = naming.separator.map { field + $0 }
            // The names that the value writes for the property tell which fields are its own.
            let present = Set(
                known.flatMap { $0.fields.names }.filter { name in
                    name == field || parts.map { name.utf8.starts(with: $0.utf8) } ?? false
                })
            if present.isEmpty || names.contains(where: present.contains) { continue }
            for name in TypeHistory.formerFields(former, naming.keyStrategy) {
                var isFound = false
                for position in names.indices {
                    // A field of the whole value may have another Unicode spelling.
                    let rest = names[position] == name ? "" : names[position].bytes(behind: name)
                    guard let presentName = rest.map({ field + $0 }), present.contains(presentName) else { continue }
                    names[position] = presentName
                    isFound = true
                }
                if isFound { break }
            }
        }
        var result = record
        if names != record.fields.names { result.fields = Record.Fields(names: names, values: record.fields.values) }
        if let version = known.lazy.compactMap({ $0[Record.versionField] }).first {
            result[Record.versionField] = version
        }
        return result.fields.names == record.fields.names && result == record ? nil : result
    }
}
