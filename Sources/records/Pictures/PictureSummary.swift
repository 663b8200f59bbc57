/// Counts the records of each type, and the references between types, in a stream of records.
struct PictureSummary: Sendable {
    private struct Arrow: Hashable {
        var from: String
        var field: String
        var to: String
        var kind: Picture.Edge.Kind
    }

    private var records: [String: Int] = [:]
    private var arrows: [Arrow: Int] = [:]

    /// Counts a record.
    mutating func add(recordOf type: String) {
        records[type, default: 0] += 1
    }

    /// Counts a reference.
    ///
    /// - Parameter type: The type of the record with the reference.
    mutating func add(referenceFrom type: String, _ field: String, to target: String, _ kind: Picture.Edge.Kind) {
        arrows[Arrow(from: type, field: field, to: target, kind: kind), default: 0] += 1
    }

    /// One box for each type, and one arrow for each field and target type.
    var picture: Picture {
        let nodes = records.sorted { $0.key < $1.key }.map { type, count in
            Picture.Node(
                id: type, title: type, lines: [count.countedRecords], type: type)
        }
        let sorted = arrows.sorted {
            ($0.key.from, $0.key.field, $0.key.to, $0.key.kind) < ($1.key.from, $1.key.field, $1.key.to, $1.key.kind)
        }
        let edges = sorted.map { arrow, count in
            Picture.Edge(
                from: arrow.from, to: arrow.to, label: "\(arrow.field) ×\(count.grouped)", kind: arrow.kind)
        }
        return Picture(nodes: nodes, edges: edges)
    }
}
