@_spi(Engines) import NestedRecords

/// The order of printed records: by one subject, then by the next.
struct QueryOrder: Sendable {
    fileprivate enum Part {
        case path(RecordOrder)
        case type(isDescending: Bool)
    }

    private var parts: [Part] = []

    /// The fields in the order.
    private(set) var paths: [FieldPath] = []

    /// Whether this is the order of the input.
    var isEmpty: Bool { parts.isEmpty }

    /// The order of the input.
    init() {}

    /// Reads the values of `--sort`: each is a field, with a dash before it for descending order.
    init(_ texts: [String], owner: String = "option '--sort'") throws {
        for text in texts {
            var text = FilterText(text, owner: owner)
            let isDescending = text.take("-")
            let subject = try FilterSubject(&text)
            guard text.current == nil else { throw text.unexpected("the end") }
            switch subject {
            case .path(let path):
                parts.append(.path(RecordOrder(path, isDescending: isDescending)))
                if !path.names.isEmpty { paths.append(path) }
            case .type: parts.append(.type(isDescending: isDescending))
            case .id:
                parts.append(.type(isDescending: isDescending))
                parts.append(.path(RecordOrder(.recordName, isDescending: isDescending)))
            }
        }
    }

    /// The order of records of one type.
    var ofOneType: [RecordOrder] { parts.compactMap { if case .path(let order) = $0 { order } else { nil } } }

    /// Sorts records of several types in this order, then by their IDs.
    func sorted(_ records: [Record]) -> [Record] {
        let keyed = records.map { record in (keys: parts.map { $0.key(of: record) }, record: record) }
        return keyed.sorted { left, right in
            for (part, (a, b)) in zip(parts, zip(left.keys, right.keys)) where a != b {
                return a < b ? !part.isDescending : part.isDescending
            }
            let (a, b) = (left.record.id, right.record.id)
            return a.name.utf8.elementsEqual(b.name.utf8)
                ? a.type < b.type : a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
        }.map { $0.record }
    }
}

extension QueryOrder.Part {
    fileprivate var isDescending: Bool {
        switch self {
        case .path(let order): order.isDescending
        case .type(let isDescending): isDescending
        }
    }

    fileprivate func key(of record: Record) -> SortKey {
        switch self {
        case .path(let order): SortKey(order.path.value(in: record))
        case .type: SortKey(.string(record.id.type))
        }
    }
}
