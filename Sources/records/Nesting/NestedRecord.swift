import NestedRecords

/// A record as a nested value: its fields in order, with referenced records in place of references.
final class NestedRecord: DynamicRecordRepresentable, Decodable, Sendable {
    let id: Record.ID
    let names: [String]
    let values: [NestedValue]

    /// Whether the first name is not that of a field: its value is the name of the record.
    let beginsWithName: Bool

    var recordType: String { id.type }
    var recordName: String { id.name }

    /// Reads all fields of a record.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldKey.self)
        let info = decoder.userInfo
        guard let context = info[.nesting] as? NestingContext, let id = info[.recordID] as? Record.ID else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "only a Nesting nests records"))
        }
        context.begin(id)
        defer { context.end() }
        // The decoder of a nesting returns all fields of the record.
        let fields = try decoder.singleValueContainer().decode(Record.Fields.self)
        self.id = id
        // A property that holds the record name is not a field.
        let idKey = context.idKey.flatMap { fields[$0] == nil ? $0 : nil }
        beginsWithName = idKey != nil
        names = (idKey.map { [$0] } ?? []) + fields.map(\.name)
        values =
            try (idKey.map { _ in [.plain(.string(id.name))] } ?? [])
            + fields.map {
                try NestedValue($0.value, at: FieldKey(stringValue: $0.name), in: container, context)
            }
        context.keepIfCycled(self)
    }
}

/// The shared state of decoding a document.
///
/// A record in a cycle cannot be decoded within itself. The context notes its ID there, and keeps the record until the
/// document is written.
final class NestingContext: Sendable {
    private struct State {
        var open: [Record.ID] = []
        var cycledIDs: Set<Record.ID> = []
        var cycled: [Record.ID: NestedRecord] = [:]
    }

    private let state = Lock(State())

    /// The key for the name of a record without such a field; nil for none.
    let idKey: String?

    init(idKey: String?) { self.idKey = idKey }

    /// The records that occurred within themselves.
    var cycled: [Record.ID: NestedRecord] { state.withLock { $0.cycled } }

    /// Marks the start of decoding a record.
    func begin(_ id: Record.ID) { state.withLock { $0.open.append(id) } }

    /// Marks the end of decoding the last started record, also after a failure.
    func end() { state.withLock { _ = $0.open.popLast() } }

    /// Whether a record is being decoded; if so, marks the record to be kept.
    func isOpen(_ id: Record.ID) -> Bool {
        state.withLock { state in
            guard state.open.contains(id) else { return false }
            state.cycledIDs.insert(id)
            return true
        }
    }

    /// Keeps a record that occurred within itself.
    func keepIfCycled(_ record: NestedRecord) {
        state.withLock { state in
            if state.cycledIDs.contains(record.id) { state.cycled[record.id] = record }
        }
    }
}
