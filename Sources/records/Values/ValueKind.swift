import NestedRecords

extension Record.Value {
    /// The kind in a word.
    var kindWord: String { numberDigits == nil ? kind.word : Kind.double.word }

    /// The kind, with those of a list's elements and the type of a reference.
    var shortKind: String {
        if case .reference(let reference) = self { return "→ \(reference.id.type)" }
        guard case .list(let values) = self, !values.isEmpty else { return kindWord }
        // Lists in lists are not looked into.
        let kinds = values.map { $0.kind == .list ? $0.kindWord : $0.shortKind }
        return "list of " + Set(kinds).sorted().joined(separator: ", ")
    }
}
