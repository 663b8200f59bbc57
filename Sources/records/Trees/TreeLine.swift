import NestedRecords

/// A record in a tree, with the reference to it.
struct TreeLine: Sendable {
    /// Why the records below a record are not shown.
    enum Mark: Sendable, Equatable {
        /// The record was shown above, with all records below it.
        case repeated
        /// The record is on the path from the root to this line.
        case cycle
        /// The record does not exist.
        case missing
        /// The record has references that are too deep to be shown.
        case cut(Int)
    }

    /// The number of fields that are shown.
    private static let keyTexts = 3

    /// The maximum number of columns of a field's text.
    private static let textWidth = 40

    /// The record's ID.
    let id: Record.ID

    /// The record; nil if it does not exist.
    let record: Record?

    /// The path of the reference to the record; empty for the root.
    var path = ""

    /// Whether the reference is a link.
    var isLink = false

    /// The prefix of the line; each character takes one column.
    var indentation = ""

    /// Whether this is the last reference of its record.
    var isLast = false

    /// The mark, if the records below are not shown.
    var mark: Mark?

    /// The line.
    ///
    /// - Parameter width: The maximum number of columns; nil for any. Deep indentation is cut at its left first, so that some
    ///   text stays visible.
    func text(within width: Int?, on terminal: Terminal) -> String {
        var start = path.isEmpty ? "" : indentation + (isLast ? "└─ " : "├─ ")
        if let width, start.count > width / 2 { start = "…" + start.suffix(max(0, width / 2 - 1)) }
        var line = TintedLine()
        line.append(start + (path.isEmpty ? "" : "\(path.visible): "))
        line.append(id.description.visible, .reference)
        if isLink { line.append("  ⇢ link") }
        switch mark {
        case .repeated: line.append("  ↑ shown above")
        case .cycle: line.append("  ↻ cycle")
        case .missing: line.append("  ✗ missing")
        case .cut(let count): line.append("  … \(count.grouped("reference")) deeper")
        case nil: break
        }
        if let record, mark != .repeated, mark != .cycle {
            for text in record.keyTexts(atMost: Self.keyTexts, width: Self.textWidth) {
                // A field, and a string in quotes.
                let name = String(text.unicodeScalars.prefix { $0 != "\"" })
                line.append("  " + name)
                line.append(String(text.unicodeScalars.dropFirst(name.unicodeScalars.count)), .text)
            }
        }
        return line.text(within: width, on: terminal)
    }
}
