import NestedRecords

/// What a condition or an order looks at in a record: `born`, `cover.colour`, `@type`.
struct FieldPath: Hashable, Sendable {
    /// What the database knows of a record besides its fields.
    private enum Attribute: String, CaseIterable {
        case id = "@id"
        case type = "@type"
        case name = "@name"
        case changeTag = "@changeTag"
        case created = "@created"
        case modified = "@modified"
    }

    private let text: String
    private let attribute: Attribute?

    /// Takes the text that the user gave.
    ///
    /// - Throws: `UsageError` if it is empty, or begins with `@` and is no attribute.
    init(_ text: String) throws {
        if text.isEmpty { throw UsageError("the name of a field is missing") }
        self.text = text
        attribute = Attribute(rawValue: text)
        if text.hasPrefix("@"), attribute == nil {
            throw UsageError.unknown("attribute", text, known: Attribute.allCases.map(\.rawValue))
        }
    }

    /// The values there: those of lists one by one; none where there is no such field.
    func values(in record: Record) -> [Record.Value] {
        if let attribute { return value(of: attribute, in: record).map { [$0] } ?? [] }
        if let value = record[text] { return value.leaves }
        // A name may hold a full stop itself, so each of them may be the end of a name.
        var found: [Record.Value] = []
        var open = [(fields: record.fields, rest: text[...])]
        while let (fields, rest) = open.popLast() {
            if let value = fields[String(rest)] { found += value.leaves }
            for stop in rest.indices where rest[stop] == "." {
                guard let value = fields[String(rest[..<stop])] else { continue }
                for case .map(let inner) in value.leaves { open.append((inner, rest[rest.index(after: stop)...])) }
            }
        }
        return found
    }

    private func value(of attribute: Attribute, in record: Record) -> Record.Value? {
        switch attribute {
        case .id: .string(record.id.description)
        case .type: .string(record.id.type)
        case .name: .string(record.id.name)
        case .changeTag: record.metadata.map { .string($0.changeTag) }
        case .created: record.metadata.map { .date($0.creationDate) }
        case .modified: record.metadata.map { .date($0.modificationDate) }
        }
    }
}

extension Record.Value {
    /// The value itself, or those in a list and the lists in it.
    fileprivate var leaves: [Record.Value] {
        guard case .list(let values) = self else { return [self] }
        var leaves: [Record.Value] = []
        var open = Array(values.reversed())
        while let value = open.popLast() {
            if case .list(let inner) = value { open += inner.reversed() } else { leaves.append(value) }
        }
        return leaves
    }
}
