import NestedRecords

/// A difference between two states of a record.
enum RecordDifference: Sendable {
    case added(Record.ID)
    case removed(Record.ID)
    /// The record has other fields, or other metadata if metadata is compared.
    case changed(
        Record.ID, fields: [RecordGraphDifference.FieldChange], metadata: [RecordGraphDifference.FieldChange])
}

extension RecordDifference {
    /// The difference as lines, each with its line break.
    ///
    /// - Parameter width: The maximum number of columns of a line; nil for any.
    func text(within width: Int?) -> String {
        switch self {
        case .added(let id): Self.line("+ \(id)", width)
        case .removed(let id): Self.line("- \(id)", width)
        case .changed(let id, let fields, let metadata):
            Self.line("~ \(id)", width)
                + fields.map { Self.line($0.text(within: width.map { $0 - 4 }), indentation: "    ", width) }.joined()
                + metadata.map { Self.line("metadata \($0)", indentation: "    ", width) }.joined()
        }
    }

    private static func line(_ text: String, indentation: String = "", _ width: Int?) -> String {
        let line = indentation + text
        return (width.map { line.visible(within: $0) } ?? line.visible) + "\n"
    }
}

extension RecordGraphDifference.FieldChange {
    private static let arrow = " => "

    /// The number of characters of the common prefix that are shown if the whole line does not fit.
    private static let widestContext = 8

    /// The change on one line; if the values do not fit, the parts from the first difference on.
    ///
    /// - Parameter width: The number of columns; nil for any.
    func text(within width: Int?) -> String {
        let whole = description.visible
        guard let width, whole.displayWidth > width, let old, let new else { return whole }
        var (first, second) = (old.description.visible, new.description.visible)
        let values = first.utf8.count + Self.arrow.utf8.count + second.utf8.count
        let head = String(decoding: whole.utf8.dropLast(values), as: UTF8.self)
        let room = width - head.displayWidth - Self.arrow.count
        guard room >= 2 else { return whole }
        let pieces = (Array(VisiblePieces(first.makeIterator())), Array(VisiblePieces(second.makeIterator())))
        // Equal strings may have different bytes.
        let shared = zip(pieces.0, pieces.1).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let context = max(0, min(Self.widestContext, room / 2 - 4))
        if shared > context + 1 {
            first = "…" + pieces.0.dropFirst(shared - context).joined()
            second = "…" + pieces.1.dropFirst(shared - context).joined()
        }
        // Each text may use the columns that the other does not need.
        let (firstWidth, secondWidth) = (first.displayWidth, second.displayWidth)
        let left = min(firstWidth, max(room / 2, room - secondWidth))
        return head + first.visible(within: left) + Self.arrow + second.visible(within: room - left)
    }
}
