final class Flattening {
    fileprivate let separator: String
    fileprivate let keys: FieldKeyResolver
    private var knownNames: [[String]: FieldNames] = [:]
    fileprivate var validatedLayouts: Set<FlatLayout> = []

    init(_ naming: FieldNaming, separator: String) {
        self.separator = separator
        keys = FieldKeyResolver(naming)
    }

    fileprivate func shared(_ names: [String]) -> FieldNames? {
        if let known = knownNames[names] { return known }
        let made = FieldNames(names)
        knownNames[names] = made
        return made
    }
}

final class FlatProperties {
    var embedded: [Int] = []

    /// The names of properties without a value, and of properties that would have become several fields.
    var absent: [String] = []
    fileprivate var absentEmbedded: [String] = []
    fileprivate var keyTypes: [KeyType] = []

    fileprivate struct KeyType {
        let id: ObjectIdentifier
        let owner: (String) -> String?
    }

    var isEmpty: Bool { embedded.isEmpty && absentEmbedded.isEmpty }

    func note<Key: CodingKey>(_: Key.Type, in frame: EncodingFrame) {
        let id = ObjectIdentifier(Key.self)
        guard let flattening = frame.call.flattening, !keyTypes.contains(where: { $0.id == id }) else { return }
        if FieldNaming.isOpen(Key.self) { return frame.noteOpenKeys() }
        let strategy = frame.naming.keyStrategy
        keyTypes.append(
            KeyType(id: id) { [keys = flattening.keys] name in
                keys.key(Key.self, forField: name).map { strategy.fieldName(for: $0.stringValue) }
            })
    }

    /// A field that would be read as part of another property, and that property.
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

private struct FlatLayout: Hashable {
    let names: [String]
    let properties: [String]
    let embedded: [Int]
    let absent: [String]
    let absentEmbedded: [String]
    let keyTypes: [ObjectIdentifier]

    init(names: [String], properties: [String], _ flat: FlatProperties) {
        self.names = names
        self.properties = properties
        embedded = flat.embedded
        absent = flat.absent
        absentEmbedded = flat.absentEmbedded
        keyTypes = flat.keyTypes.map(\.id)
    }
}

extension EncodingFrame {
    func beginFlat() {
        own.flat = FlatProperties()
    }

    var flattensProperties: Bool {
        guard own.flat != nil, own.content == .keyed, case .properties = state.keys else { return false }
        return true
    }

    func isEmbedded(as value: Record.Value) -> Bool {
        guard own.flat != nil, own.content == .keyed, case .map(let fields) = value else { return false }
        return !fields.isEmpty
    }

    func noteAbsentEmbedded<Value: Encodable>(_: Value.Type, _ key: some CodingKey) {
        guard flattensProperties, !ignores(key), EmbeddingStrategy.mayEmbed(Value.self) else { return }
        if Value.self == Record.Metadata.self, isOwnRecord { return }
        own.flat?.absentEmbedded.append(fieldName(of: key))
    }

    func flattened(_ fields: Record.Fields, _ flat: FlatProperties) -> Record.Fields {
        guard let flattening = call.flattening else { return fields }
        var names: [String] = []
        var values: [Record.Value] = []
        // For each field, the position of the property that it comes from.
        var origins: [Int] = []
        for (position, (name, value)) in fields.enumerated() {
            if flat.embedded.contains(position), case .map(let inner) = value {
                names += inner.names.map { name + flattening.separator + $0 }
                values += inner.values
            } else {
                names.append(name)
                values.append(value)
            }
            origins += Array(repeating: position, count: names.count - origins.count)
        }
        if recordID != nil, let name = names.first(where: Record.isReserved) {
            call.fail(reservedName(name, PathKey(stringValue: name)))
            return fields
        }
        let layout = FlatLayout(names: names, properties: fields.names, flat)
        if !flattening.validatedLayouts.contains(layout) {
            let clash = flat.clash(in: names, of: origins, properties: fields.names, flattening.separator)
            if let (property, field) = clash {
                let reason = "its values are flattened, and the field '\(field)' would belong to another property"
                let context = place(of: PathKey(stringValue: property))
                call.fail(RecordError.invalidKey(property, reason: reason, context: context))
                return fields
            }
            flattening.validatedLayouts.insert(layout)
        }
        return Record.Fields(recordID != nil ? flattening.shared(names) : FieldNames(names), values: values)
    }
}
