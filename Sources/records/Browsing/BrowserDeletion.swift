import NestedRecords

/// The plan of a deletion, and the question about it.
struct BrowserDeletion: Sendable {
    /// The keys that change the plan.
    static let choices: [(key: Unicode.Scalar, meaning: String, option: DeletionOptions)] = [
        ("o", "also what it owns", .cascading), ("a", "also what only it refers to", .contents),
        ("c", "clear references to it", .clearing), ("k", "keep references to it", .dangling),
    ]

    /// The record that the user chose.
    let id: Record.ID
    let plan: DeletionPlan

    /// Whether the plan leaves no reference without a target, unless the user wants that.
    var isAllowed: Bool { plan.dangling.isEmpty || !plan.options.isDisjoint(with: [.clearing, .dangling]) }

    /// The plan and the choices.
    func lines(_ size: (columns: Int, lines: Int), _ terminal: Terminal) -> [String] {
        let choices = Self.choices.map { key, meaning, option in
            "\(plan.options.contains(option) ? "[x]" : "[ ]") \(key)  \(meaning)".visible(within: size.columns)
        }
        let question = isAllowed ? "Delete? y yes  n no" : "References prevent the deletion: c, k or n"
        let text = plan.description.unicodeScalars.split(separator: "\n").flatMap {
            String($0).visible.wrapped(to: size.columns)
        }.map { $0.visible(within: size.columns) }
        let room = max(0, size.lines - choices.count - 2)
        let shown =
            text.count > room ? text.prefix(max(0, room - 1)) + ["… \(text.count - room + 1) more lines"] : text[...]
        let filled = Array(shown) + Array(repeating: "", count: max(0, room - shown.count))
        return [terminal.bold("Delete \(id)".visible(within: size.columns))] + filled + choices
            + [question.visible(within: size.columns)]
    }
}
