extension EncodingFrame {
    /// Whether properties that are encoded now become fields of the record.
    var flattensProperties: Bool { isFlat && content == .keyed && !hasDataKeys }

    /// Whether this frame's value is a map to be flattened.
    func isEmbedded(as value: Record.Value) -> Bool {
        guard isFlat, content == .keyed, case .map(let fields) = value else { return false }
        return !fields.isEmpty
    }

    /// Notes the keys that are used on this frame, for flattened values and for the lists of properties.
    @inline(never)
    func noteKeysOnce<Key: CodingKey>(_: Key.Type) {
        if session.flattens { noteFlatKeys(Key.self) }
        if let typeInfo { typeInfo.takeUnretainedValue().names.note(Key.self, session.fieldKeys.naming) }
    }

    /// Notes the keys that are used on this frame.
    private func noteFlatKeys<Key: CodingKey>(_: Key.Type) {
        let id = ObjectIdentifier(Key.self)
        guard isFlat, !flat.keyTypes.contains(where: { $0.id == id }) else { return }
        if FieldNaming.isOpen(Key.self) { return noteOpenKeys(Key.self) }
        let session = session
        let owner = FlatKeys(id: id) { [unowned session] name in
            session.fieldKeys.key(Key.self, forField: name).map {
                session.options.keyStrategy.fieldName(for: $0.stringValue)
            }
        }
        flat.keyTypes.append(owner)
    }

    /// Notes a property without a value, which another one's fields must not be taken for.
    func noteAbsentField(_ key: some CodingKey) {
        if flattensProperties, !ignores(key) { flat.absent.append(fieldName(of: key)) }
    }

    /// Notes a property without a value that would have become several fields.
    func noteAbsentEmbedded<Value: Encodable>(_: Value.Type, _ key: some CodingKey) {
        guard flattensProperties, !ignores(key), session.typeEncoder(of: Value.self).mayEmbed else { return }
        if Value.self == Record.Metadata.self, isOwnRecord { return }
        flat.absentEmbedded.append(fieldName(of: key))
    }

    /// Puts the fields of embedded values in the place of their maps.
    func flattened(_ fields: Record.Fields) -> Record.Fields {
        guard let separator = session.options.embeddingStrategy.separator else { return fields }
        var names: [String] = []
        var values: [Record.Value] = []
        // For each field the position of the property that it comes from.
        var origins: [Int] = []
        for (position, (name, value)) in fields.enumerated() {
            if flat.embedded.contains(position), case .map(let inner) = value {
                names += inner.names.map { name + separator + $0 }
                values += inner.values
            } else {
                names.append(name)
                values.append(value)
            }
            origins += Array(repeating: position, count: names.count - origins.count)
        }
        let shape = FlatShape(names: names, properties: fields.names, frame: flat)
        if !session.validatedLayouts.contains(shape) {
            if let (property, field) = flat.clash(in: names, of: origins, properties: fields.names, separator) {
                let reason = "its values are flattened, and the field '\(field)' would be read as another property's"
                session.fail(
                    RecordError.invalidKey(property, reason: reason, context: place(of: PathKey(stringValue: property)))
                )
                return fields
            }
            session.validatedLayouts.insert(shape)
        }
        return Record.Fields(recordPosition >= 0 ? session.shared(names) : FieldNames(names), values: values)
    }
}

/// What is known of the properties of a frame whose embedded values are flattened.
struct FlatFrame {
    /// The positions of the maps that are embedded values.
    var embedded: [Int] = []

    /// The names of properties without a value, and of those that would have become several fields.
    var absent: [String] = []
    var absentEmbedded: [String] = []

    var keyTypes: [FlatKeys] = []

    var isEmpty: Bool { embedded.isEmpty && absentEmbedded.isEmpty }

    /// A field that would be read as another property's than the one that it comes from, and that one.
    fileprivate func clash(
        in names: [String], of origins: [Int], properties: [String], _ separator: String
    ) -> (property: String, field: String)? {
        var seen: Set<String> = []
        for (name, origin) in zip(names, origins) {
            let property = properties[origin]
            let isPart = embedded.contains(origin)
            // Two Unicode spellings of a name are equal strings.
            if !seen.insert(name).inserted || isPart && name == property { return (property, name) }
            if isPart, absent.contains(name) { return (property, name) }
            for keys in keyTypes {
                if let owner = keys.owner(name), !owner.hasSameBytes(as: property) { return (property, name) }
            }
        }
        let prefixes = embedded.map { (properties[$0], $0) } + absentEmbedded.map { ($0, -1) }
        for (property, origin) in prefixes {
            let prefix = property + separator
            let clash = zip(names, origins).first { $1 != origin && $0.utf8.starts(with: prefix.utf8) }
            if let clash { return (property, clash.0) }
        }
        return nil
    }
}

/// A type of keys, with the function from a field to the property that it belongs to.
struct FlatKeys {
    let id: ObjectIdentifier
    let owner: (String) -> String?
}

/// Everything that decides whether flattened fields are distinguishable.
struct FlatShape: Hashable {
    private let names: [String]
    private let properties: [String]
    private let embedded: [Int]
    private let absent: [String]
    private let absentEmbedded: [String]
    private let keyTypes: [ObjectIdentifier]

    init(names: [String], properties: [String], frame: FlatFrame) {
        self.names = names
        self.properties = properties
        embedded = frame.embedded
        absent = frame.absent
        absentEmbedded = frame.absentEmbedded
        keyTypes = frame.keyTypes.map(\.id)
    }
}

extension EncodingSession {
    /// The object that all records with these names share.
    func shared(_ names: [String]) -> FieldNames? {
        if let known = knownNames[names] { return known }
        let made = FieldNames(names)
        knownNames[names] = made
        return made
    }
}
