/// The Swift types that have written the records of a graph.
struct RecordModels {
    private var models: [String: any RecordCodable.Type] = [:]
    private var ambiguousTypes: Set<String> = []

    /// Whether the type of each record belongs to its Swift type, and is not stated by the value.
    private var areStatic = true

    mutating func note(_ model: any RecordEncodable.Type, _ info: RecordTypeInfo) {
        if info.isDynamic { areStatic = false }
        guard let model = model as? any RecordCodable.Type else { return }
        if models.updateValue(model, forKey: info.type) != nil { ambiguousTypes.insert(info.type) }
    }

    /// The Swift type of all records of a type; nil if it is not certain, or cannot be decoded.
    subscript(type: String) -> (any RecordCodable.Type)? {
        areStatic && !ambiguousTypes.contains(type) ? models[type] : nil
    }
}
