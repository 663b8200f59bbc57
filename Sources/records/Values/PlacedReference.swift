import NestedRecords

/// A reference in a record, and its path in the record.
struct PlacedReference: Sendable, Hashable {
    /// The reference.
    let reference: Record.Reference

    /// The path from the field to the reference: `students[2]`, `address.owner`.
    let path: String

    /// The path without element numbers, equal for all elements of a list: `students`.
    let field: String
}

/// Iterates over the references in the fields of a record, in their order.
///
/// It does not use recursion: deeply nested values would overflow the stack.
struct PlacedReferences: IteratorProtocol {
    /// A list or a map with elements that are still to be visited.
    private struct Level {
        /// The names in a map, nil in a list.
        let fields: Record.Fields?
        let elements: [Record.Value]
        var next = 0

        mutating func element() -> Record.Value? {
            guard next < (fields?.count ?? elements.count) else { return nil }
            defer { next += 1 }
            return fields.map { $0[next].value } ?? elements[next]
        }

        /// Appends the path of the last visited element.
        func append(to path: inout String, withNumbers: Bool) {
            guard let fields else {
                if withNumbers { path += "[\(next - 1)]" }
                return
            }
            path += (path.isEmpty ? "" : ".") + fields[next - 1].name
        }
    }

    private var levels: [Level]

    /// Begins at the first field.
    init(_ fields: Record.Fields) {
        levels = [Level(fields: fields, elements: [])]
    }

    /// The next reference; nil after the last one.
    mutating func next() -> PlacedReference? {
        while let last = levels.indices.last {
            let element = levels[last].element()
            if case .reference(let reference)? = element {
                return PlacedReference(
                    reference: reference, path: path(withNumbers: true), field: path(withNumbers: false))
            }
            switch element?.contents {
            case .list(let elements)?: levels.append(Level(fields: nil, elements: elements))
            case .map(let fields)?: levels.append(Level(fields: fields, elements: []))
            case nil: if element == nil { levels.removeLast() }
            }
        }
        return nil
    }

    private func path(withNumbers: Bool) -> String {
        levels.reduce(into: "") { $1.append(to: &$0, withNumbers: withNumbers) }
    }
}

extension Record {
    /// The references in the fields of this record, with their paths.
    var placedReferences: IteratorSequence<PlacedReferences> { IteratorSequence(PlacedReferences(fields)) }
}
