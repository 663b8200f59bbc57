import NestedRecords

extension BrowserContent {
    /// A record with its fields, and the references to it.
    init(_ record: Record, referrers: [RecordReferrer]) {
        title = "\(record.id)"
        rows = record.rows
        for path in [FieldPath.creationDate, .modificationDate, .changeTag] {
            guard let value = path.value(in: record) else { continue }
            rows.append(Listing.Row(key: "\(path)", cells: [.text("\(path)"), .text(value.plainText)]))
        }
        let count = referrers.count
        let heading = count == 0 ? "No record refers to it" : "Referred to by (\(count.grouped))"
        rows.append(Listing.Row(key: "@referrers", cells: [.text(heading)]))
        for referrer in referrers.sorted(by: { ($0.record, $0.path) < ($1.record, $1.path) }) {
            let link = referrer.reference.isLink ? " (link)" : ""
            rows.append(
                Listing.Row(
                    key: "@referrers \(referrer)",
                    cells: [.text("  \(referrer.record)"), .text(".\(referrer.path)\(link)")],
                    target: .record(referrer.record)))
        }
    }
}

extension Record {
    /// The bytes of a value that has room in every window.
    private static let mostShown = 20

    /// A row for each field, and for each value in lists and maps below it.
    var rows: [Listing.Row] {
        var rows: [Listing.Row] = []
        // Pending values; the next one is last: recursion would overflow the stack for deeply nested values.
        var waiting = fields.reversed().map { (path: $0.name, name: $0.name, depth: 0, value: $0.value) }
        while let (path, name, depth, value) = waiting.popLast() {
            let label = String(repeating: "  ", count: depth) + name
            rows.append(
                Listing.Row(key: path, cells: [.text(label), value.shownCell], target: target(of: value, path)))
            switch value.contents {
            case .list(let values)?:
                let elements = values.enumerated().map { ("\(path)[\($0)]", "[\($0)]", depth + 1, $1) }
                waiting += elements.reversed()
            case .map(let fields)?:
                waiting += fields.reversed().map { ("\(path).\($0.name)", $0.name, depth + 1, $0.value) }
            case nil: break
            }
        }
        return rows
    }

    private func target(of value: Value, _ path: String) -> BrowserPlace? {
        if case .reference(let reference) = value { return .record(reference.id) }
        if value.isCollection { return nil }
        let text = value.plainText
        let isLong = text.utf8.count > Self.mostShown || text.utf8.contains(0x0A)
        return isLong ? .text(text, title: "\(id) .\(path)") : nil
    }
}

extension Record.Value {
    fileprivate var shownCell: Table.Cell {
        if case .reference(let reference) = self {
            return .text("→ \(reference.id)" + (reference.isLink ? " (link)" : ""))
        }
        return switch contents {
        case .list(let values)?: .text(values.isEmpty ? "[]" : "list of \(values.count.grouped)")
        case .map(let fields)?: .text(fields.isEmpty ? "{}" : "")
        case nil: kind.isNumber ? .number(plainText) : .text(plainText)
        }
    }
}
