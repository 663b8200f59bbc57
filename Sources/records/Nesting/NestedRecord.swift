import NestedRecords

/// A record as a value: its fields in order, with the values of other records where it refers to them.
final class NestedRecord: DynamicRecordRepresentable, Decodable, Sendable {
    let id: Record.ID
    let names: [String]
    let values: [NestedValue]

    var recordType: String { id.type }
    var recordName: String { id.name }

    /// Reads all fields, whatever they are.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldKey.self)
        let info = decoder.userInfo
        guard let context = info[.nesting] as? NestingContext, let id = info[.recordID] as? Record.ID else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "only a Nesting nests records"))
        }
        context.begin(id)
        defer { context.end() }
        // The decoder of a nesting gives all fields, whatever they are.
        let fields = try decoder.singleValueContainer().decode(Record.Fields.self)
        self.id = id
        // A property that is the name of its record is no field.
        let idKey = context.idKey.flatMap { fields[$0] == nil ? $0 : nil }
        names = (idKey.map { [$0] } ?? []) + fields.map(\.name)
        values =
            try (idKey.map { _ in [.plain(.string(id.name))] } ?? [])
            + fields.map {
                try NestedValue($0.value, at: FieldKey(stringValue: $0.name), in: container, context)
            }
        context.keepIfCycled(self)
    }
}

/// What the decoding of a document knows besides the records.
///
/// A record that leads back to itself cannot be decoded within itself. There only its ID is noted, and the record is
/// kept until the document is written.
final class NestingContext: Sendable {
    private struct State {
        var open: [Record.ID] = []
        var cycledIDs: Set<Record.ID> = []
        var cycled: [Record.ID: NestedRecord] = [:]
    }

    private let state = Lock(State())

    /// The key under which a record without such a field has its name; nil for none.
    let idKey: String?

    init(idKey: String?) { self.idKey = idKey }

    /// The records that were met within themselves.
    var cycled: [Record.ID: NestedRecord] { state.withLock { $0.cycled } }

    /// Notes that a record is being decoded.
    func begin(_ id: Record.ID) { state.withLock { $0.open.append(id) } }

    /// Notes that the record that was begun last is decoded, or failed.
    func end() { state.withLock { _ = $0.open.popLast() } }

    /// Whether a record is being decoded; if so, it will be kept.
    func isOpen(_ id: Record.ID) -> Bool {
        state.withLock { state in
            guard state.open.contains(id) else { return false }
            state.cycledIDs.insert(id)
            return true
        }
    }

    /// Keeps a record that was met within itself.
    func keepIfCycled(_ record: NestedRecord) {
        state.withLock { state in
            if state.cycledIDs.contains(record.id) { state.cycled[record.id] = record }
        }
    }
}
