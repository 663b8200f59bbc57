/// A filter made ready to be tried on many records.
package struct RecordPredicate {
    private enum Node {
        case condition(Condition)
        /// All or one of the nodes up to an end.
        case group(isAll: Bool, end: Int)
        /// The opposite of the nodes up to an end.
        case not(end: Int)
    }

    fileprivate enum Condition {
        case compare(FieldPath, RecordFilter.Comparison, Operand)
        case isAny(FieldPath, AnyOfValues)
        case refersToAny(FieldPath, Set<Record.ID>)
        case contains(FieldPath, Operand)
        case containsText(FieldPath, String, ignoresCase: Bool)
        case other(RecordFilter.Term)
    }

    /// The filter with what combines others before its operands; those in the reverse order.
    private var nodes: [Node] = []

    /// - Parameters:
    ///   - filter: The filter; nil for all records.
    ///   - range: The part of its terms that is about the records.
    ///   - targets: For each term that follows references, by its position, the records that they may lead to.
    /// - Throws: ``RecordQueryError`` with the code `needsDatabase` if there are no such records for a term.
    package init(_ filter: RecordFilter?, in range: Range<Int>? = nil, targets: [Int: Set<Record.ID>] = [:]) throws {
        guard let filter else { return }
        let operands = filter.operands
        let range = range ?? filter.terms.indices
        var position = range.upperBound - 1
        while position >= range.lowerBound {
            let end = nodes.count + operands[position].nodeCount
            switch filter.terms[position] {
            case .all: nodes.append(.group(isAll: true, end: end))
            case .any: nodes.append(.group(isAll: false, end: end))
            case .not: nodes.append(.not(end: end))
            case .refers(let path, _):
                guard let ids = targets[position] else { throw RecordQueryError(.needsDatabase) }
                nodes.append(.condition(.refersToAny(path, ids)))
                // Its operand is about other records.
                position = operands[position].start
            case .compare(let path, let comparison, let value):
                nodes.append(.condition(.compare(path, comparison, Operand(value))))
            case .isAny(let path, let values): nodes.append(.condition(.isAny(path, AnyOfValues(values))))
            case .contains(let path, let value): nodes.append(.condition(.contains(path, Operand(value))))
            case .containsText(let path, let text, let ignoresCase):
                let text = ignoresCase ? text.lowercased() : text
                nodes.append(.condition(.containsText(path, text, ignoresCase: ignoresCase)))
            case let term: nodes.append(.condition(.other(term)))
            }
            position -= 1
        }
    }

    /// Whether the filter holds for a record.
    package func holds(for record: Record) -> Bool {
        if case .condition(let condition)? = nodes.first { return condition.holds(for: record) }
        // As many groups may be open as the filter has terms: no stack is deep enough.
        var open: [Node] = []
        var position = 0
        var result = true
        while position < nodes.count {
            switch nodes[position] {
            case .group(let isAll, _):
                result = isAll
                open.append(nodes[position])
            case .not: open.append(nodes[position])
            case .condition(let condition): result = condition.holds(for: record)
            }
            position += 1
            while let node = open.last {
                switch node {
                case .not(let end):
                    guard position == end else { break }
                    result.toggle()
                    open.removeLast()
                    continue
                case .group(let isAll, let end):
                    guard result != isAll || position == end else { break }
                    position = end
                    open.removeLast()
                    continue
                case .condition: break
                }
                break
            }
        }
        return result
    }
}

extension RecordFilter {
    /// For each term the position of its first operand's first term, and how many nodes of a predicate it makes.
    var operands: [(start: Int, nodeCount: Int)] {
        var result: [(start: Int, nodeCount: Int)] = []
        result.reserveCapacity(terms.count)
        var open: [(start: Int, nodeCount: Int)] = []
        for (position, term) in terms.enumerated() {
            let own = open.suffix(term.operandCount)
            let count = if case .refers = term { 1 } else { own.reduce(1) { $0 + $1.nodeCount } }
            let entry = (start: own.first?.start ?? position, nodeCount: count)
            open.removeLast(own.count)
            open.append(entry)
            result.append(entry)
        }
        return result
    }

    /// Returns whether this holds for a record.
    ///
    /// - Parameter record: The record.
    /// - Throws: ``RecordQueryError`` with the code `needsDatabase` if the filter follows references.
    public func matches(_ record: Record) throws -> Bool { try RecordPredicate(self).holds(for: record) }
}

// MARK: Conditions

extension RecordPredicate.Condition {
    fileprivate func holds(for record: Record) -> Bool {
        switch self {
        case .compare(let path, let comparison, let operand):
            operand.isTrue(comparison, of: path.value(in: record))
        case .isAny(let path, let values): path.value(in: record).map(values.contains) ?? false
        case .refersToAny(let path, let ids):
            path.value(in: record).map { value in
                switch value {
                case .reference(let reference): ids.contains(reference.id)
                case .list(let values):
                    values.contains {
                        if case .reference(let reference) = $0 { ids.contains(reference.id) } else { false }
                    }
                default: false
                }
            } ?? false
        case .contains(let path, let operand):
            if case .list(let values)? = path.value(in: record) {
                values.contains(where: operand.isEqual(to:))
            } else {
                false
            }
        case .containsText(let path, let text, let ignoresCase):
            if case .string(let string)? = path.value(in: record) {
                text.isEmpty || (ignoresCase ? string.lowercased() : string).utf8.firstRange(of: text.utf8) != nil
            } else {
                false
            }
        case .other(let term): term.holds(for: record)
        }
    }
}

extension RecordFilter.Term {
    fileprivate func holds(for record: Record) -> Bool {
        switch self {
        case .exists(let path): path.value(in: record) != nil
        case .isNull(let path): path.value(in: record) == .null
        case .hasPrefix(let path, let prefix):
            if case .string(let text)? = path.value(in: record) { text.utf8.starts(with: prefix.utf8) } else { false }
        case .within(let path, let box):
            if case .location(let location)? = path.value(in: record) { box.contains(location) } else { false }
        case .near(let path, let center, let metres):
            if case .location(let location)? = path.value(in: record) {
                location.distance(to: center) <= metres
            } else {
                false
            }
        case .compare, .isAny, .contains, .containsText, .refers, .all, .any, .not: false
        }
    }
}
