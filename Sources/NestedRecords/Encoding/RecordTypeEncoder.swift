/// Encodes values as records, each identity once.
final class RecordTypeEncoder<Model: RecordEncodable>: TypeEncoder<Model> {
    private let facts = RecordFacts(Model.self)
    private var shape: Int?
    private var lastCount = 0

    /// The values that were met as second ones of their identity, by the position of the record.
    private var repeated: [Int: Model] = [:]

    override func encode(_ value: Model, in session: EncodingSession) throws -> Record.Value {
        let (position, isNew) = try session.reserve(type: facts.recordType(of: value), name: value.recordName)
        let id = session.records[position].id
        if isNew {
            session.instances.append(facts.isClass ? instance(value) : nil)
            let fields = try encodeFields(value, id, in: session)
            try session.finish(position, with: fields)
        } else if !isKnown(value, at: position, in: session) {
            // Noted first: the value may be met again while its fields are encoded.
            repeated[position] = value
            let path = session.pathOfNextValue
            try session.compare(position, with: try encodeFields(value, id, in: session), at: path)
        }
        return .reference(Record.Reference(to: id))
    }

    private func encodeFields(_ value: Model, _ id: Record.ID, in session: EncodingSession) throws -> Record.Fields {
        let shape = shape ?? session.shapes.addRoot()
        self.shape = shape
        let encoder = try session.open(shape: shape, reserving: lastCount)
        defer { session.closeLevel() }
        encoder.level.recordID = id
        encoder.level.facts = facts
        try session.encodeContents(of: value, encoder)
        lastCount = encoder.level.values.count
        return encoder.level.takeFields()
    }

    /// Whether this very value, or a bitwise equal one, was encoded before.
    private func isKnown(_ value: Model, at position: Int, in session: EncodingSession) -> Bool {
        if facts.isClass, session.instances[position] === instance(value) { return true }
        guard let repeated = repeated[position] else { return false }
        // Copies share the storage of their texts and lists. The one kept here holds that storage, so equal bytes
        // mean equal values; and a struct that stands in many places costs one comparison in each.
        return withUnsafeBytes(of: value) { bytes in
            withUnsafeBytes(of: repeated) { bytes.elementsEqual($0) }
        }
    }

    private func instance(_ value: Model) -> AnyObject {
        // Only for classes: their values are one strong reference.
        unsafeBitCast(value, to: AnyObject.self)
    }
}
