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
            func byRecord<Content>(
                _ texts: [Record.ID: [String: Content]], _ value: (Content) -> Record.Value
            ) -> Record.Value {
                .map(
                    Record.Fields(
                        texts.sorted { $0.key < $1.key }.map { id, texts in
                            let sorted = texts.sorted { $0.key < $1.key }
                            return ("\(id)", .map(Record.Fields(sorted.map { ($0.key, value($0.value)) })))
                        }))
            }
            var fields: [(String, Record.Value)] = [(Self.rootField, root)]
            if isValue { fields.append(("isValue", .bool(true))) }
            if isLines { fields.append(("isLines", .bool(true))) }
            fields.append(("mapping", .string(try mapping.json)))
            if !texts.values.isEmpty { fields.append(("texts", byRecord(texts.values) { .string($0) })) }
            if !texts.members.isEmpty {
                fields.append(("members", byRecord(texts.members) { .list($0.map { .string($0) }) }))
            }
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

    /// Reads the record of a document.
    ///
    /// - Throws: `RecordError`, and ``InputError``, if the record was changed.
    init(_ record: Record, of input: String) throws {
        guard let root = record[Self.rootField], case .string(let mapping)? = record["mapping"] else {
            throw InputError(input: input, reason: "\(record.id) has not the fields that 'records flatten' wrote")
        }
        func byRecord<Content>(_ field: String, _ content: (Record.Value) -> Content?) throws
            -> [Record.ID: [String: Content]]
        {
            guard case .map(let records)? = record[field] else { return [:] }
            var texts: [Record.ID: [String: Content]] = [:]
            for (id, value) in records {
                guard case .map(let fields) = value else { continue }
                let pairs = fields.compactMap { field in content(field.value).map { (field.name, $0) } }
                texts[try Record.ID(id)] = Dictionary(pairs) { first, _ in first }
            }
            return texts
        }
        id = record.id
        self.root = root
        isLines = record["isLines"] == .bool(true)
        isValue = record["isValue"] == .bool(true)
        self.mapping = try Mapping(json: mapping, of: input)
        texts = KeptTexts(
            values: try byRecord("texts", \.text),
            members: try byRecord("members") { value in
                guard case .list(let values) = value else { return nil }
                return values.compactMap(\.text)
            })
    }
}

extension Record.Value {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
