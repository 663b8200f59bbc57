import NestedRecords

/// How the references and the extended values under a key are written in a document.
///
/// A form is the first one that occurs under its key; values in another form are kept as texts.
struct ValueForms: Equatable, Sendable {
    /// The JSON around a name or around the digits of a number.
    struct Form: Equatable, Sendable {
        let before: String
        let after: String

        /// Whether the value may be any string; otherwise it is a number.
        let isText: Bool

        /// Whether a value in this form is JSON.
        var isJSON: Bool { JSONTree.text(of: before + (isText ? "x" : "1") + after) != nil }

        fileprivate func text(_ value: String) -> String? {
            guard !isText else { return before + value.jsonCharacters + after }
            return value.isJSONNumber ? before + value + after : nil
        }
    }

    /// The forms by the type of the reference, or by the key of the extended value, and by the key of the value.
    var forms: [String: [String: Form]] = [:]

    var isEmpty: Bool { forms.isEmpty }

    /// The JSON of a value; nil for a value that has the usual form of its kind.
    func text(of value: Record.Value, under key: String) -> String? {
        if case .reference(let reference) = value {
            guard let forms = forms[reference.id.type] else { return nil }
            // A reference that was set later may be under another key.
            let form = forms[key] ?? forms.min { $0.key < $1.key }?.value
            return form?.text(reference.id.name) ?? "\"" + reference.id.name.jsonCharacters + "\""
        }
        let kinds: [String]
        switch value {
        case .string: kinds = ["$oid"]
        case .date: kinds = ["$date"]
        case .int: kinds = ["$numberLong", "$numberInt", "$numberDecimal"]
        case .double: kinds = ["$numberDouble", "$numberDecimal"]
        case .map where value.numberDigits != nil: kinds = ["$numberDecimal"]
        default: return nil
        }
        guard let form = kinds.lazy.compactMap({ forms[$0]?[key] }).first else { return nil }
        return (value.numberDigits ?? value.plainScalar?.text).flatMap(form.text)
    }
}

extension String {
    /// These characters as those of a JSON string.
    fileprivate var jsonCharacters: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension MarkedTree {
    /// A value with a form: a reference or an extended value.
    func formed(_ node: Int) throws -> Record.Value? {
        try links[UInt32(node)].map { .reference(Record.Reference(to: try id(of: Int($0.target)), isLink: true)) }
            ?? (marks[node] == Mark.extended.rawValue ? tree.extendedValue(of: node) : nil)
    }

    /// A string, a number or a date; nil for other values.
    func scalar(_ node: Int) -> Record.Value? {
        switch tree.kind(of: node) {
        case .text:
            marks[node] == Mark.date.rawValue
                ? DocumentFlattening.date(tree.text(of: node)) : .string(tree.text(of: node))
        case .number: tree.fieldNumber(of: node).value
        default: nil
        }
    }

    /// The first form of each type and key.
    func valueForms() throws -> ValueForms {
        var forms = ValueForms()
        guard !links.isEmpty || marks.contains(Mark.extended.rawValue) else { return forms }
        var open: [(end: Int, key: String)] = []
        var node = tree.root
        while node < tree.nodes.count {
            while let last = open.last, last.end <= node { open.removeLast() }
            let end = Int(tree.nodes[node].end)
            var key = tree.keyText(of: node)
            if tree.nodes[node].key == JSONTree.noKey { key = open.last?.key ?? DocumentRecord.rootField }
            if let value = try formed(node) {
                let (kind, form) = form(of: value, node)
                if forms.forms[kind]?[key] == nil, form.isJSON { forms.forms[kind, default: [:]][key] = form }
                node = end
                continue
            }
            if isRecord(node), tree.kind(of: node) != .object { key = DocumentRecord.valueField }
            if end > node + 1 { open.append((end, key)) }
            node += 1
        }
        return forms
    }

    private func form(of value: Record.Value, _ node: Int) -> (kind: String, form: ValueForms.Form) {
        let link = links[UInt32(node)]
        var (kind, inner, prefix) = ("", node + 1, "")
        if case .reference(let reference) = value { kind = reference.id.type } else { kind = tree.keyText(of: inner) }
        if let link { (inner, prefix) = (Int(link.inner), link.prefix) }
        let isText = tree.kind(of: inner) == .text
        let before = tree.json(of: node, before: inner)
        let isNumber = link == nil && kind.utf8.starts(with: "$number".utf8)
        let after = tree.json(of: node).utf8.dropFirst(before.utf8.count + tree.json(of: inner).utf8.count)
        let quote = isText ? "\"" : ""
        return (
            kind,
            ValueForms.Form(
                before: before + quote + prefix.jsonCharacters, after: quote + String(decoding: after, as: UTF8.self),
                isText: isText && !isNumber)
        )
    }
}
