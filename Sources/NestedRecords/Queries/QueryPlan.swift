/// How a database with indexes finds what a query asks for.
///
/// The plan never leaves out a record that the query finds. Whoever follows it tries the filter on the records that it gives,
/// unless ``isCovered``.
package struct QueryPlan: Sendable {
    /// The index to read; nil to read the records of the type in the order of their names.
    package let index: FieldIndex?

    /// The ranges of the index's keys that the records are in, in ascending order; none if there is no such record.
    ///
    /// Without an index, all or none.
    package let ranges: [SortKeyRange]

    /// Whether the filter holds for every record in the ranges.
    package let isCovered: Bool

    /// Whether the order of the query is that of the index's keys, the greatest first if ``isDescending``, and among the
    /// same keys that of the names' bytes, the least first.
    ///
    /// Then the limit and the cursor can be left to the index.
    package let isOrdered: Bool

    /// Whether the greatest key comes first.
    package let isDescending: Bool

    /// The place behind which the page begins; only if ``isOrdered``.
    package let start: Start?

    /// A place in an index.
    package struct Start: Sendable, Hashable {
        /// The key; nil where the order is that of the names alone.
        package let key: SortKey?

        /// The name of the record.
        package let name: String
    }

    /// Whether the answer is the beginning of what the index gives.
    package var isPushedDown: Bool { isCovered && isOrdered }

    /// Makes a plan for a query.
    ///
    /// An index is chosen in which the filter picks single keys, else one in which it picks a range, else one that has the
    /// query's order.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - targets: For each term of the filter that follows references, by its position, the records that they may lead
    ///     to.
    ///   - indexes: The indexes that there are, also of other types.
    /// - Throws: ``RecordQueryError`` with the code `invalidLimit` or `foreignCursor`.
    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>] = [:], indexes: [FieldIndex]) throws {
        let position = try query.checkedStart()
        let part = RecordFilterPart(query.filter, targets: targets)
        let best = Self.best(part, of: query.recordType, order: query.order, indexes)
        let used = best.isByKey ? query.order.firstIndex { $0.path == best.index?.path } : nil
        let start = best.isOrdered ? position : nil
        self.init(best, start.map { start in Start(key: used.map { start.keys[$0] }, name: start.name) })
    }

    /// Makes a plan for the records for which a part of a filter holds, in whatever order.
    package init(_ part: RecordFilterPart, ofType type: String, indexes: [FieldIndex]) {
        self.init(Self.best(part, of: type, order: nil, indexes), nil)
    }

    private init(_ choice: Choice, _ start: Start?) {
        index = choice.index
        ranges = choice.found.keys.ranges
        isCovered = choice.found.isExact
        isOrdered = choice.isOrdered
        isDescending = choice.isDescending
        self.start = start
    }

    /// A way to read, and what it is good for.
    private struct Choice {
        let index: FieldIndex?
        let found: FilterRanges
        let isOrdered: Bool

        /// Whether the order is that of the keys, and not of the names alone.
        let isByKey: Bool
        let isDescending: Bool

        init(_ index: FieldIndex?, _ found: FilterRanges, order: [RecordOrder]?) {
            self.index = index
            self.found = found
            let isOneKey = found.keys.ranges.count == 1 && found.keys.ranges[0].point != nil
            let rest = order?.rest(where: isOneKey ? index?.path : nil)
            isByKey = index != nil && rest?.count == 1 && rest?[0].path == index?.path
            isOrdered = isByKey || rest?.isEmpty == true && (index == nil || isOneKey)
            isDescending = isByKey && rest?[0].isDescending == true
        }

        /// The less, the better.
        var rank: Int {
            let ranges = found.keys.ranges
            if ranges.isEmpty { return 0 }
            if ranges.allSatisfy({ $0.point != nil }) { return isOrdered ? 1 : 2 }
            if ranges.contains(where: { $0.point != nil || $0.isWithinKind }), ranges.last?.upper != nil {
                return isOrdered ? 3 : 4
            }
            if isOrdered { return found.keys.isFull ? 6 : 5 }
            return found.keys.isFull ? 8 : 7
        }
    }

    private static func best(
        _ part: RecordFilterPart, of type: String, order: [RecordOrder]?, _ indexes: [FieldIndex]
    ) -> Choice {
        let byName = Choice(nil, FilterRanges(of: part, by: FieldPath([])).ofWholeType, order: order)
        let choices = indexes.lazy.filter { $0.recordType == type }.map {
            Choice($0, FilterRanges(of: part, by: $0.path), order: order)
        }
        return choices.reduce(byName) { $1.rank < $0.rank ? $1 : $0 }
    }
}

extension [RecordOrder] {
    /// What of an order is left to do, where the values of a path are all the same.
    ///
    /// What comes behind the name says nothing, and the name itself is what every order ends in.
    fileprivate func rest(where constant: FieldPath?) -> [RecordOrder] {
        var rest: [RecordOrder] = []
        for order in self where order.path != constant {
            if order.path == .recordName, !order.isDescending { break }
            rest.append(order)
        }
        return rest
    }
}
