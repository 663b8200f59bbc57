import NestedRecords

/// A record in a tree, with what led to it.
struct TreeLine: Sendable {
    /// What there is to say of a record that is not shown with what is below it.
    enum Mark: Sendable, Equatable {
        /// It was shown above with everything below it.
        case repeated
        /// It is on the way from the root to here.
        case cycle
        /// There is no such record.
        case missing
        /// It has references that are too deep to be shown.
        case cut(Int)
    }

    /// How many fields are shown.
    private static let keyTexts = 3

    /// The columns that the text of a field may take.
    private static let textWidth = 40

    /// The record's ID.
    let id: Record.ID

    /// The record, nil if it is not there.
    let record: Record?

    /// The field that led here; empty for the root.
    var path = ""

    /// Whether the reference is a link.
    var isLink = false

    /// The prefix of the line; one column a character.
    var indentation = ""

    /// Whether it is the last one of its record.
    var isLast = false

    /// What else there is to say.
    var mark: Mark?

    /// The line.
    ///
    /// - Parameter width: The columns that it may take, nil for any. Deep indentation is cut at its left first, so
    ///   that there is something left to read.
    func text(within width: Int?) -> String {
        var line = path.isEmpty ? "" : indentation + (isLast ? "└─ " : "├─ ")
        if let width, line.count > width / 2 { line = "…" + line.suffix(max(0, width / 2 - 1)) }
        line += (path.isEmpty ? "" : "\(path.visible): ") + id.description.visible
        if isLink { line += "  ⇢ link" }
        switch mark {
        case .repeated: line += "  ↑ shown above"
        case .cycle: line += "  ↻ cycle"
        case .missing: line += "  ✗ missing"
        case .cut(let count): line += "  … \(count.grouped) \(count == 1 ? "reference" : "references") deeper"
        case nil: break
        }
        if let record, mark != .repeated, mark != .cycle {
            line += record.keyTexts(atMost: Self.keyTexts, width: Self.textWidth).map { "  " + $0 }.joined()
        }
        return width.map { line.visible(within: $0) } ?? line
    }
}
