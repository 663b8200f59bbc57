struct PropertyField {
    var path: FieldPath
    private let name: String
    private let formerNames: [String]
    let defaultValue: Record.Value?

    init(_ path: FieldPath) {
        self.path = path
        name = path.names.first ?? ""
        formerNames = []
        defaultValue = nil
    }

    init(_ name: String, of property: String, in owner: Any.Type, _ coding: RecordCoding) throws {
        path = FieldPath([name])
        self.name = name
        let schema = (owner as? any RecordRepresentable.Type).map { RecordTypeInfo.info(of: $0).schema }
        formerNames = coding.keyStrategy.formerFields(of: schema?.formerNames[property] ?? [])
        let value = schema?.defaults[property]
        defaultValue = try value.map { try coding.fieldValue(of: $0) }
    }

    var hasOneForm: Bool { formerNames.isEmpty && defaultValue == nil }

    /// The field, and those that records of earlier forms have instead; none for an attribute of the record.
    var forms: [String] {
        guard let field = path.names.first else { return [] }
        return [field] + formerNames.map { $0 + (field.bytes(after: name) ?? "") }
    }

    func makePresent(in record: inout Record) {
        guard !hasOneForm, let field = path.names.first, record[field] == nil else { return }
        for formerName in formerNames {
            let former = formerName + (field.bytes(after: name) ?? "")
            guard let value = record[former] else { continue }
            record[former] = nil
            record[field] = value
            return
        }
        if field == name { record[field] = defaultValue }
    }

    /// A filter for records without the current field, but with a former one or a default value; nil if there are none.
    var formerRecords: RecordFilter? {
        guard !hasOneForm, let field = path.names.first else { return nil }
        let isMissing = !RecordFilter.exists(FieldPath([field]))
        if defaultValue != nil { return isMissing }
        let rest = field.bytes(after: name) ?? ""
        return .all([isMissing, .any(formerNames.map { .exists(FieldPath([$0 + rest])) })])
    }

    func filter(_ make: (FieldPath) throws -> RecordFilter) throws -> RecordFilter {
        guard !hasOneForm else { return try make(path) }
        var cases: [RecordFilter] = []
        var missing: [RecordFilter] = []
        for formName in [name] + formerNames {
            var names = path.names
            names[0] = formName + (names[0].bytes(after: name) ?? "")
            let whole = FieldPath([names[0]])
            cases.append(.all(missing + [.exists(whole), try make(FieldPath(names))]))
            missing.append(!.exists(whole))
        }
        if let defaultValue {
            let record = try Record(id: Record.ID(type: "Default", name: "value"), fields: [name: defaultValue])
            if try make(path).matches(record) { cases.append(.all(missing)) }
        } else {
            cases.append(.all(missing + [try make(path)]))
        }
        return .any(cases)
    }
}
