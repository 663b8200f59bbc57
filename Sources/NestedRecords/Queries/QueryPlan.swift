/// A plan for a database with indexes to find the records of a query.
///
/// The plan includes all matching records. The database must test the filter on the records that it reads, unless
/// ``isCovered``.
package struct QueryPlan: Sendable {
    /// The index to read; nil to read the records of the type in the order of their names.
    package let index: FieldIndex?

    /// The ranges of the index's keys that contain the records, in ascending order; none if there are no such records.
    ///
    /// Without an index, one range for all records, or none.
    package let ranges: [SortKeyRange]

    package let isCovered: Bool

    /// Whether the index has the order of the query: by key, the greatest first if ``isDescending``, then by the bytes
    /// of the name, the least first.
    ///
    /// The index can then apply the limit and the cursor.
    package let isOrdered: Bool

    package let isDescending: Bool

    /// The place after which the page begins; only if ``isOrdered``.
    package let start: Start?

    package struct Start: Sendable, Hashable {
        /// The key; nil if the order is by name alone.
        package let key: SortKey?

        package let name: String
    }

    package var isPushedDown: Bool { isCovered && isOrdered }

    /// Makes a plan for a query.
    ///
    /// The preferred index is one in which the filter selects single keys, then one in which it selects a range, then
    /// one with the query's order.
    ///
    /// - Throws: ``RecordError`` with the code `invalidLimit` or `foreignCursor`.
    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>] = [:], indexes: [FieldIndex]) throws {
        let position = try query.checkedStart()
        let part = RecordFilterPart(query.filter, targets: targets)
        let best = Self.best(part, of: query.recordType, order: query.order, indexes)
        let used = best.isByKey ? query.order.firstIndex { $0.path == best.index?.path } : nil
        let start = best.isOrdered ? position : nil
        self.init(best, start.map { start in Start(key: used.map { start.keys[$0] }, name: start.name) })
    }

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

    private struct Choice {
        let index: FieldIndex?
        let found: FilterRanges
        let isOrdered: Bool
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
    /// The rest of an order if all values of a path are the same.
    ///
    /// Parts after the name have no effect, and every order ends with the name.
    fileprivate func rest(where constant: FieldPath?) -> [RecordOrder] {
        var rest: [RecordOrder] = []
        for order in self where order.path != constant {
            if order.path == .recordName, !order.isDescending { break }
            rest.append(order)
        }
        return rest
    }
}
