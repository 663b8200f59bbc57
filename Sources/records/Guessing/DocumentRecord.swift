import NestedRecords

/// The record with all that `nest` needs to write a document again.
///
/// It is of a reserved type and has the name of the document. Its field `root` is the root of the document, where
/// records are strings with their IDs; so it does not keep records from being deleted.
struct DocumentRecord: Sendable {
    static let recordType = Record.ID.reservedTypePrefix + "Document"

    /// The field of a record for a document that is not an object.
    static let valueField = "value"
    static let rootField = "root"
    private static let (textsField, membersField, formsField) = ("texts", "members", "forms")

    let id: Record.ID
    let root: Record.Value
    let isLines: Bool

    /// Whether the root is the only field of its record, since it is not an object.
    let isValue: Bool
    let mapping: Mapping
    let texts: KeptTexts
    let forms: ValueForms

    static func id(named name: String) throws -> Record.ID { try Record.ID(type: recordType, name: name) }

    /// The document as a record.
    var record: Record {
        get throws {
            var fields: [(String, Record.Value)] = [(Self.rootField, root)]
            if isValue { fields.append(("isValue", .bool(true))) }
            if isLines { fields.append(("isLines", .bool(true))) }
            fields.append(("mapping", .string(try mapping.json)))
            if !texts.values.isEmpty {
                let values = Self.list(texts.values) { value in
                    [.string(value.text)] + (value.target.map { [.string($0.description)] } ?? [])
                }
                fields.append((Self.textsField, values))
            }
            if !forms.isEmpty { fields.append((Self.formsField, Self.list(forms))) }
            if !texts.members.isEmpty {
                let members = Self.list(texts.members) { members in
                    members.flatMap { [.int(Int64($0.position)), .string($0.key), .string($0.text)] }
                }
                fields.append((Self.membersField, members))
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
        forms = try marked.valueForms()
        texts = try marked.keptTexts(rootID: id, forms)
    }

    private static func list(_ forms: ValueForms) -> Record.Value {
        .list(
            forms.forms.sorted { $0.key < $1.key }.flatMap { kind, forms in
                forms.sorted { $0.key < $1.key }.map { key, form in
                    .list([kind, key, form.before, form.after].map { .string($0) } + [.bool(form.isText)])
                }
            })
    }

    /// Reads such a list.
    private static func forms(in record: Record) throws -> ValueForms {
        var forms = ValueForms()
        guard case .list(let entries) = record[formsField] ?? .list([]) else { throw Damage(field: formsField) }
        for entry in entries {
            guard case .list(let values) = entry, values.count == 5, case .bool(let isText) = values[4] else {
                throw Damage(field: formsField)
            }
            let parts = values.prefix(4).compactMap(\.text)
            guard parts.count == 4 else { throw Damage(field: formsField) }
            let form = ValueForms.Form(before: parts[2], after: parts[3], isText: isText)
            guard form.isJSON, forms.forms[parts[0], default: [:]].updateValue(form, forKey: parts[1]) == nil else {
                throw Damage(field: formsField)
            }
        }
        return forms
    }

    /// Texts as a list for each pointer: the ID of the record, the pointer, and the content.
    ///
    /// IDs and pointers are not names of fields: those with equal characters but other bytes would be one.
    private static func list<Content>(
        _ texts: [Record.ID: [String: Content]], _ values: (Content) -> [Record.Value]
    ) -> Record.Value {
        .list(
            texts.sorted { $0.key < $1.key }.flatMap { id, texts in
                texts.sorted { $0.key < $1.key }.map { pointer, content in
                    .list([.string(id.description), .string(pointer)] + values(content))
                }
            })
    }

    /// Reads such lists.
    private static func texts<Content>(
        in field: String, of record: Record, _ content: (ArraySlice<Record.Value>) -> Content?
    ) throws -> [Record.ID: [String: Content]] {
        var texts: [Record.ID: [String: Content]] = [:]
        guard case .list(let entries) = record[field] ?? .list([]) else { throw Damage(field: field) }
        for entry in entries {
            guard case .list(let values) = entry, values.count > 2,
                let id = values[0].text.flatMap({ try? Record.ID($0) }),
                let pointer = values[1].text, let content = content(values[2...]),
                texts[id, default: [:]].updateValue(content, forKey: pointer) == nil
            else { throw Damage(field: field) }
        }
        return texts
    }

    private static func value(_ values: ArraySlice<Record.Value>) -> KeptTexts.Value? {
        guard let text = values.first?.text.flatMap(JSONTree.text) else { return nil }
        if values.count == 1 { return KeptTexts.Value(text: text) }
        guard values.count == 2, let target = values.last?.text.flatMap({ try? Record.ID($0) }) else { return nil }
        return KeptTexts.Value(text: text, target: target)
    }

    private static func members(_ values: ArraySlice<Record.Value>) -> [KeptTexts.Member]? {
        var (rest, members, keys) = (values, [KeptTexts.Member](), Set<[UInt8]>())
        while let first = rest.first {
            // Members without a position come after the fields.
            var position = Int.max
            if case .int(let count) = first {
                position = Int(count)
                rest.removeFirst()
            }
            guard let key = rest.popFirst()?.text, let text = rest.popFirst()?.text.flatMap(JSONTree.text),
                position >= 0, keys.insert(Array(key.utf8)).inserted
            else { return nil }
            members.append(KeptTexts.Member(key: key, text: text, position: position))
        }
        return members
    }

    private struct Damage: Error {
        let field: String
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
        do {
            texts = KeptTexts(
                values: try Self.texts(in: Self.textsField, of: record, Self.value),
                members: try Self.texts(in: Self.membersField, of: record, Self.members))
            forms = try Self.forms(in: record)
            if (try? root.withReferencesForNames) == nil { throw Damage(field: Self.rootField) }
        } catch let damage as Damage {
            throw InputError(
                input: input, reason: "\(id), field '\(damage.field)': found what 'records flatten' does not write")
        }
    }

    /// Checks the records of documents among others, which `nest` trusts.
    ///
    /// - Throws: ``InputError`` for a record that `flatten` has not written so.
    static func check(_ records: some Sequence<Record>, of input: String) throws {
        for record in records where record.id.type == recordType {
            _ = try DocumentRecord(record, of: input)
        }
    }
}

extension Record.Value {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The record to which this reference refers; nil for another value.
    var target: Record.ID? {
        if case .reference(let reference) = self { reference.id } else { nil }
    }
}
