import NestedRecords

/// The record with all that `nest` needs to write a document again.
///
/// It is of a reserved type and has the name of the document. Its field `root` is the root of the document, where
/// records are strings with their IDs; so it does not keep records from being deleted.
struct DocumentRecord: Sendable {
    static let recordType = Record.ID.reservedTypePrefix + "Document"

    /// The field of a record for a document that is no object.
    static let valueField = "value"
    static let rootField = "root"

    let id: Record.ID
    let root: Record.Value
    let isLines: Bool

    /// Whether the root is the only field of its record, since it is no object.
    let isValue: Bool
    let mapping: Mapping
    let texts: KeptTexts

    static func id(named name: String) throws -> Record.ID { try Record.ID(type: recordType, name: name) }

    /// The document as a record.
    var record: Record {
        get throws {
            var fields: [(String, Record.Value)] = [(Self.rootField, root)]
            if isValue { fields.append(("isValue", .bool(true))) }
            if isLines { fields.append(("isLines", .bool(true))) }
            fields.append(("mapping", .string(try mapping.json)))
            if !texts.values.isEmpty { fields.append(("texts", Self.list(texts.values) { [$0] })) }
            if !texts.members.isEmpty { fields.append(("members", Self.list(texts.members) { $0 })) }
            return try Record(id: id, fields: Record.Fields(fields))
        }
    }

    init(_ flattening: inout DocumentFlattening, mapping: Mapping) throws {
        let marked = flattening.marked
        id = try Self.id(named: marked.documentName)
        root = try flattening.root()
        isLines = marked.tree.isLines
        isValue = marked.isRecord(marked.tree.root) && marked.tree.kind(of: marked.tree.root) != .object
        self.mapping = mapping
        texts = try marked.keptTexts(rootID: id)
    }

    /// Texts as a list for each pointer: the ID of the record, the pointer, and the texts.
    ///
    /// IDs and pointers are no names of fields: those with equal characters but other bytes would be one.
    private static func list<Content>(
        _ texts: [Record.ID: [String: Content]], _ strings: (Content) -> [String]
    ) -> Record.Value {
        .list(
            texts.sorted { $0.key < $1.key }.flatMap { id, texts in
                texts.sorted { $0.key < $1.key }.map { pointer, content in
                    .list(([id.description, pointer] + strings(content)).map { .string($0) })
                }
            })
    }

    private static func texts(in value: Record.Value?) throws -> [Record.ID: [String: [String]]] {
        guard case .list(let entries)? = value else { return [:] }
        var texts: [Record.ID: [String: [String]]] = [:]
        for case .list(let entry) in entries {
            let strings = entry.compactMap(\.text)
            guard strings.count > 2 else { continue }
            texts[try Record.ID(strings[0]), default: [:]][strings[1]] = Array(strings.dropFirst(2))
        }
        return texts
    }

    /// Reads the record of a document.
    ///
    /// - Throws: `RecordError`, and ``InputError``, if the record was changed.
    init(_ record: Record, of input: String) throws {
        guard let root = record[Self.rootField], case .string(let mapping)? = record["mapping"] else {
            throw InputError(input: input, reason: "\(record.id) has not the fields that 'records flatten' wrote")
        }
        id = record.id
        self.root = root
        isLines = record["isLines"] == .bool(true)
        isValue = record["isValue"] == .bool(true)
        self.mapping = try Mapping(json: mapping, of: input)
        texts = KeptTexts(
            values: try Self.texts(in: record["texts"]).mapValues { $0.compactMapValues(\.first) },
            members: try Self.texts(in: record["members"]))
    }
}

extension Record.Value {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
