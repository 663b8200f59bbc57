extension EncodingLevel {
    /// Whether properties that are encoded now become fields of the record.
    var flattensProperties: Bool { isFlat && content == .keyed && !hasDataKeys }

    /// Whether this level's value is a map to be flattened.
    func isEmbedded(as value: Record.Value) -> Bool {
        guard isFlat, content == .keyed, case .map(let fields) = value else { return false }
        return !fields.isEmpty
    }

    /// Notes a property without a value that would have become several fields.
    func noteAbsentEmbedded<Value: Encodable>(_: Value.Type, _ key: some CodingKey) {
        guard flattensProperties, !ignores(key), session.typeEncoder(of: Value.self).mayEmbed else { return }
        absentEmbedded.append(fieldName(of: key))
    }

    /// Puts the fields of embedded values in the place of their maps.
    func flattened(_ fields: Record.Fields) -> Record.Fields {
        guard let separator = session.options.embeddingStrategy.separator else { return fields }
        var names: [String] = []
        var values: [Record.Value] = []
        // For each field the position of the property that it comes from.
        var origins: [Int] = []
        for (position, (name, value)) in fields.enumerated() {
            if embedded.contains(position), case .map(let inner) = value {
                names += inner.names.map { name + separator + $0 }
                values += inner.values
            } else {
                names.append(name)
                values.append(value)
            }
            origins += Array(repeating: position, count: names.count - origins.count)
        }
        let prefixes = embedded.map { (name: fields.names[$0], origin: $0) } + absentEmbedded.map { ($0, -1) }
        for (name, origin) in prefixes {
            let prefix = name + separator
            let clash = zip(names, origins).first { $1 != origin && $0.utf8.starts(with: prefix.utf8) }
            if let clash {
                let reason = "its values are flattened, but another property has the field '\(clash.0)'"
                session.fail(
                    RecordError.invalidKey(name, reason: reason, place: place(of: PathKey(stringValue: name))))
                return fields
            }
        }
        return Record.Fields(names: session.shared(names), values: values)
    }
}

extension EncodingSession {
    /// Names in the storage that all records with these names share.
    func shared(_ names: [String]) -> [String] {
        if let known = knownNames[names] { return known }
        if knownNames.count < ShapeTree.mostEdges * ShapeTree.mostEdges { knownNames[names] = names }
        return names
    }
}
