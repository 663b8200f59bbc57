@_spi(Engines) import NestedRecords

/// The order of groups: by one of their columns, then by the next, then by the values of the groups.
struct GroupOrder: Sendable {
    private var parts: [(column: String, isDescending: Bool)] = []

    /// Reads the values of `--sort`: each is a column, with a dash before it for descending order.
    ///
    /// - Parameters:
    ///   - texts: The values.
    ///   - columns: The columns of the groups.
    ///   - group: The path of the groups, which also names the column of their values.
    /// - Throws: `UsageError`.
    init(_ texts: [String], columns: [String], group: String) throws {
        for text in texts {
            let isDescending = text.utf8.first == UInt8(ascii: "-")
            let name = isDescending ? String(text.unicodeScalars.dropFirst()) : text
            let column = name == group ? "group" : name
            guard columns.contains(column) else {
                let hint =
                    RecordSummary.columns.contains(column)
                    ? "needs '--summarize'" : "does not name a column of groups: \(columns.joined(separator: ", "))"
                throw UsageError("option '--sort': '\(name.shortened)' \(hint)")
            }
            parts.append((column, isDescending))
        }
    }

    /// Sorts groups in this order.
    ///
    /// - Parameter groups: The groups in the order of their values.
    func sorted(_ groups: [RecordSummary]) -> [RecordSummary] {
        let keyed = groups.enumerated().map { position, group in
            (keys: parts.map { SortKey(group.value(of: $0.column)) }, position: position, group: group)
        }
        return keyed.sorted { left, right in
            for (part, (a, b)) in zip(parts, zip(left.keys, right.keys)) where a != b {
                return a < b ? !part.isDescending : part.isDescending
            }
            return left.position < right.position
        }.map { $0.group }
    }
}
