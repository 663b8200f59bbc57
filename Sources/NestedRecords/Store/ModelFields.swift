/// The fields that a type writes and reads, found with a sample of it.
struct ModelFields: Sendable {
    let model: Any.Type

    /// The fields of a sample, with the names of the coding keys.
    let written: Record.Fields
    private let keyTypes: [any CodingKey.Type]

    private static let known = TypeCache<ModelFields?>()

    /// The fields of a type; nil if they are not certain: it does not write them itself, accepts every key, or accepts
    /// no sample.
    static func known(of type: Any.Type, userInfo: [CodingUserInfoKey: any Sendable]) -> ModelFields? {
        guard let model = type as? any Codable.Type else { return nil }
        return known.info(of: type) { make(model, userInfo) }
    }

    private static func make<Model: Codable>(
        _: Model.Type, _ userInfo: [CodingUserInfoKey: any Sendable]
    ) -> ModelFields? {
        var coding = RecordCoding()
        coding.userInfo = userInfo
        // With all optional values, a record that contains one of its own type may contradict itself.
        for isFull in [true, false] {
            let locations = (Model.self as? any RecordRepresentable.Type)?.info.schema.locations ?? []
            let contents = SampleDecoder.Contents(isFull: isFull, locations: locations)
            guard let sample = SampleDecoder.sample(of: Model.self, contents, userInfo: userInfo),
                let written = try? fields(of: sample.value, coding)
            else { continue }
            let isOpen = sample.keyTypes.contains { FieldNaming.isOpen($0) }
            if isOpen || sample.keyTypes.isEmpty { return nil }
            return ModelFields(model: Model.self, written: written, keyTypes: sample.keyTypes)
        }
        return nil
    }

    private static func fields(of value: some Encodable, _ coding: RecordCoding) throws -> Record.Fields? {
        // The record of the value itself is the last.
        if let value = value as? any RecordEncodable { return try RecordEncoder(coding).encode(value).last?.fields }
        guard case .map(let fields) = try coding.encode(fieldValue: value) else { return nil }
        return fields
    }

    /// Whether the type writes or reads a field.
    func has(_ field: String, _ naming: FieldNaming) -> Bool {
        func isPart(of name: String) -> Bool {
            field == name || naming.separator.map { field.utf8.starts(with: (name + $0).utf8) } ?? false
        }
        let info = (model as? any RecordRepresentable.Type)?.info
        if let formerNames = info?.schema.formerNames.values.joined(),
            naming.keyStrategy.formerFields(of: Array(formerNames)).contains(where: isPart)
        {
            return true
        }
        return written.names.contains { isPart(of: naming.keyStrategy.fieldName(for: $0)) }
            || keyTypes.contains { isKey($0, field, naming) }
    }

    private func isKey<Key: CodingKey>(_: Key.Type, _ field: String, _ naming: FieldNaming) -> Bool {
        naming.key(Key.self, forField: field) != nil
    }

    /// The type of the property that a field belongs to, and the field of the sample; nil if a coder writes it as another
    /// kind.
    func property(of field: String, _ strategy: KeyStrategy) -> (type: Any.Type, value: Record.Value)? {
        let wrapped = WrappedProperty.all(of: model).map { ($0.name, $0.type) }
        let all = StoredProperty.all(of: model).map { ($0.name, $0.type) } + wrapped
        guard let (name, type) = all.first(where: { strategy.fieldName(for: $0.0) == field }),
            let value = written[name]
        else { return nil }
        if let kind = FieldKind(of: type), let other = FieldKind(of: value), !kind.mayBe(other) { return nil }
        return (type, value)
    }
}
