/// The stored form of a fetched value's records, whose fields may have former names.
///
/// A save gives these fields their current names, since no value may be stored twice.
struct StoredForm {
    private let naming: FieldNaming
    private let formerNames = RecordTypeInfo.formerNamesByType

    init(_ naming: FieldNaming) {
        self.naming = naming
    }

    private func formerNames(of type: String) -> [(property: String, names: [String])] {
        (formerNames[type] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether the type of one of the records has former names.
    static func hasFormerNames(in read: ResolvedRecords) -> Bool {
        let types = RecordTypeInfo.formerNamesByType
        return !types.isEmpty && read.records.contains { types[$0.id.type] != nil }
    }

    func present(_ read: ResolvedRecords, _ graphs: [RecordGraph]) -> ResolvedRecords {
        if formerNames.isEmpty { return read }
        var records = read.records
        var isChanged = false
        for position in records.indices {
            guard let record = present(records[position], graphs) else { continue }
            records[position] = record
            isChanged = true
        }
        return isChanged ? ResolvedRecords(roots: read.roots, records: records, index: read.index) : read
    }

    /// Records to save, with null for each property that was set to nil if a field of a former name would be read
    /// instead.
    ///
    /// A record has both fields if a program that knows only the former name has changed the record.
    func coveringFormerFields(_ records: [Record], changedFrom before: RecordGraph) -> [Record] {
        if formerNames.isEmpty { return records }
        return records.map { record in
            guard let before = before[record.id] else { return record }
            var record = record
            for (property, former) in formerNames(of: record.id.type) {
                let field = naming.keyStrategy.fieldName(for: property)
                guard before[field] != nil, record[field] == nil else { continue }
                let isFound = naming.keyStrategy.formerFields(of: former).contains { record[$0] != nil }
                if isFound { record[field] = .null }
            }
            return record
        }
    }

    /// A record with current names for the fields that the value has; nil if nothing is to be renamed.
    func present(_ record: Record, _ graphs: [RecordGraph]) -> Record? {
        if formerNames.isEmpty { return nil }
        let known = graphs.compactMap { $0[record.id] }
        guard !known.isEmpty else { return nil }
        var names = record.fields.names
        for (property, former) in formerNames(of: record.id.type) {
            let field = naming.keyStrategy.fieldName(for: property)
            let parts = naming.separator.map { field + $0 }
            // The names that the value writes for the property identify its fields.
            let present = Set(
                known.flatMap { $0.fields.names }.filter { name in
                    name == field || parts.map { name.utf8.starts(with: $0.utf8) } ?? false
                })
            if present.isEmpty || names.contains(where: present.contains) { continue }
            for name in naming.keyStrategy.formerFields(of: former) {
                var isFound = false
                for position in names.indices {
                    // A field of the whole value may have another Unicode spelling.
                    let rest = names[position] == name ? "" : names[position].bytes(after: name)
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
