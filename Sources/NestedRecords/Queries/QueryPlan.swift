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
        let start = try query.checkedStart()
        let part = RecordFilterPart(query.filter, targets: targets)
        let choices = Choice.all(part, of: query.recordType, order: query.order, indexes)
        self.init(Choice.best(choices), query, start)
    }

    /// The plan for a query, and another plan that reads in the order of the query if the first does not: see ``PlanRace``.
    ///
    /// - Throws: ``RecordError`` with the code `invalidLimit` or `foreignCursor`.
    package static func alternatives(
        _ query: RecordQuery, targets: [Int: Set<Record.ID>], indexes: [FieldIndex]
    ) throws -> (plan: QueryPlan, inOrder: QueryPlan?) {
        let start = try query.checkedStart()
        let part = RecordFilterPart(query.filter, targets: targets)
        let choices = Choice.all(part, of: query.recordType, order: query.order, indexes)
        let best = Choice.best(choices)
        guard query.limit ?? 0 > 0, !best.ranges.isEmpty,
            let ordered = choices.filter(\.isOrdered).min(by: { $0.rank < $1.rank }),
            let selective = choices.filter(\.isSelective).min(by: { $0.selection < $1.selection })
        else { return (QueryPlan(best, query, start), nil) }
        if ordered.isCovered || ordered.selectedPaths.isSuperset(of: selective.selectedPaths) {
            return (QueryPlan(ordered, query, start), nil)
        }
        return (QueryPlan(selective, query, start), QueryPlan(ordered, query, start))
    }

    package init(_ part: RecordFilterPart, ofType type: String, indexes: [FieldIndex]) {
        self.init(Choice.best(Choice.all(part, of: type, order: nil, indexes)), nil, nil)
    }

    /// A plan with an index whose keys are the values of a group's field, after constants; nil if no such index has the
    /// whole filter.
    package init?(
        _ part: RecordFilterPart, ofType type: String, groupedBy group: FieldPath?, indexes: [FieldIndex]
    ) {
        guard let group else { return nil }
        let choices = Choice.all(part, of: type, order: nil, indexes).filter { $0.isCovered && $0.hasGroups(of: group) }
        guard let choice = choices.min(by: { $0.rank < $1.rank }) else { return nil }
        self.init(choice, nil, nil)
    }

    private init(_ choice: Choice, _ query: RecordQuery?, _ start: (keys: [SortKey], name: String)?) {
        index = choice.index
        ranges = choice.ranges
        isCovered = choice.isCovered
        isOrdered = choice.isOrdered
        isDescending = choice.isDescending
        self.start =
            choice.isOrdered
            ? start.map { Start(key: choice.key(of: $0.keys, query?.order ?? []), name: $0.name) } : nil
    }
}

// MARK: Words

extension QueryPlan {
    /// The plan of a database that examines every record.
    package static func wordsOfScan(_ query: RecordQuery) -> String {
        var words = "Examines every record of \(query.recordType)."
        if !query.order.isEmpty || query.limit != nil { words += " Sorts the matching records\(query.limitWords)." }
        return query.referenceWords + words
    }

    /// The plan in sentences, with the other plan that ``alternatives(_:targets:indexes:)`` gives.
    package func words(for query: RecordQuery, or inOrder: QueryPlan? = nil) -> String {
        if ranges.isEmpty { return query.referenceWords + "Reads nothing: no record can match the filter." }
        guard let inOrder else { return query.referenceWords + ownWords(query) }
        return query.referenceWords + "Chooses between two plans by the first records that it reads. First: "
            + "\(inOrder.ownWords(query)) Second: \(ownWords(query))"
    }

    private func ownWords(_ query: RecordQuery) -> String {
        var words = "Reads "
        if let index {
            let count = ranges == [.all] ? "all keys" : ranges.count.counted("range")
            words +=
                "\(count) of the index of \(index.recordType) by \(index.paths.map(\.description).joined(separator: ", "))"
        } else {
            words += "the records of \(query.recordType)"
        }
        if isOrdered {
            words += query.order.isEmpty ? " in the order of the record names" : " in the order of the query"
            if query.limit != nil { words += ", until the page is full" }
        }
        words += "."
        if !isCovered { words += " Tests the filter on each record." }
        if !isOrdered { words += " Sorts the matching records\(query.limitWords)." }
        return words
    }
}

extension RecordQuery {
    fileprivate var limitWords: String { limit.map { ", and keeps \($0)" } ?? "" }

    fileprivate var referenceWords: String {
        let types = (filter?.referredTypes ?? []).sorted()
        if types.isEmpty { return "" }
        return "First finds the records of \(types.joined(separator: ", ")) that the filter leads to. "
    }
}

/// An index, and what it can do for a query.
private struct Choice {
    let index: FieldIndex?

    /// The ranges of the index's keys.
    let ranges: [SortKeyRange]
    let isCovered: Bool
    let isOrdered: Bool
    let isDescending: Bool

    /// The keys of the first paths, for which the filter allows one value each.
    private let constants: [SortKey]

    /// The ranges of the path after these.
    private let next: SortKeyRanges?

    /// The paths that order the records among the constants; empty if that is the name.
    private let ordering: [FieldPath]

    static func all(
        _ part: RecordFilterPart, of type: String, order: [RecordOrder]?, _ indexes: [FieldIndex]
    ) -> [Choice] {
        [Choice(nil, part, order)] + indexes.filter { $0.recordType == type }.map { Choice($0, part, order) }
    }

    static func best(_ choices: [Choice]) -> Choice {
        choices.dropFirst().reduce(choices[0]) { $1.rank < $0.rank ? $1 : $0 }
    }

    private init(_ index: FieldIndex?, _ part: RecordFilterPart, _ order: [RecordOrder]?) {
        self.index = index
        let paths = index?.paths ?? []
        let found = paths.map { FilterRanges(of: part, by: $0).keys }
        constants = found.map(\.point).prefix { $0 != nil }.compactMap { $0 }
        let rest = paths.dropFirst(constants.count)
        if index == nil {
            let all = FilterRanges(of: part, by: FieldPath([])).ofWholeType
            (ranges, next, isCovered) = (all.keys.ranges, nil, all.isExact)
        } else if let next = rest.isEmpty ? nil : found[constants.count] {
            let (keys, isLast) = (constants, rest.count == 1)
            ranges = next.ranges.map { $0.combined(after: keys, isLast: isLast) }
            self.next = next
            isCovered = part.isCovered(by: zip(paths, found).prefix(keys.count + 1).map { ($0, $1) })
        } else {
            ranges = [.point(SortKey(joining: constants))]
            next = nil
            isCovered = part.isCovered(by: zip(paths, found).map { ($0, $1) })
        }
        let open = order?.rest(where: paths.prefix(constants.count))
        let isByKeys =
            !rest.isEmpty && open?.map(\.path) == Array(rest) && Set(open?.map(\.isDescending) ?? []).count == 1
        ordering = isByKeys ? Array(rest) : []
        isOrdered = isByKeys || open?.isEmpty == true && rest.isEmpty
        isDescending = isByKeys && open?[0].isDescending == true
    }

    /// Whether the records with one key are those with one value at a path, as far as an order tells values apart.
    func hasGroups(of path: FieldPath) -> Bool {
        guard let index, index.paths.last == path else { return false }
        return constants.count >= index.paths.count - 1
    }

    /// The paths whose values the ranges restrict.
    var selectedPaths: Set<FieldPath> {
        let count = constants.count + (next?.isFull == false ? 1 : 0)
        return Set(index?.paths.prefix(count) ?? [])
    }

    var isSelective: Bool { !selectedPaths.isEmpty }

    /// The key of a cursor, nil if the order is by name alone.
    func key(of cursor: [SortKey], _ order: [RecordOrder]) -> SortKey? {
        let keys = ordering.compactMap { path in order.firstIndex { $0.path == path }.map { cursor[$0] } }
        return keys.isEmpty ? nil : SortKey(joining: constants + keys)
    }

    /// The less, the fewer records the ranges probably have.
    var selection: Int { selectionClass * 16 - constants.count }

    /// 1 for single keys, 2 and 3 for a range after keys, 4 for a range, 6 for more.
    private var selectionClass: Int {
        let isPoints = index != nil && (next?.ranges.allSatisfy { $0.point != nil } ?? true)
        let isNarrow =
            next.map { next in
                next.ranges.last?.upper != nil && next.ranges.contains { $0.point != nil || $0.isWithinKind }
            } ?? false
        if isPoints { return 1 }
        return constants.isEmpty ? (isNarrow ? 4 : 6) : isNarrow ? 2 : 3
    }

    /// The less, the better.
    var rank: Int {
        if ranges.isEmpty { return 0 }
        let selection = selectionClass
        let isFull = next?.isFull ?? true
        let rank =
            switch selection {
            case 6: isOrdered ? isFull ? 11 : 10 : isFull ? 13 : 12
            case 4: isOrdered ? 8 : 9
            // One value of an indexed property and the order are better than several values alone.
            default: isOrdered ? selection : 4 + selection
            }
        return rank * 16 - constants.count
    }
}

extension RecordFilterPart {
    /// Whether the filter holds for exactly the records whose values are in ranges.
    fileprivate func isCovered(by ranges: [(path: FieldPath, keys: SortKeyRanges)]) -> Bool {
        guard filter != nil else { return true }
        return conjuncts.allSatisfy { conjunct in
            ranges.contains { path, keys in
                let found = FilterRanges(of: conjunct, by: path)
                return found.isExact && found.keys.common(with: keys) == keys
            }
        }
    }

    /// The parts that must all hold.
    private var conjuncts: [RecordFilterPart] {
        guard let filter else { return [] }
        let operands = filter.operands
        var open = [range]
        var found: [RecordFilterPart] = []
        while let range = open.popLast() {
            guard let last = range.last else { continue }
            guard case .all(let count) = filter.terms[last] else {
                found.append(RecordFilterPart(filter, in: range, targets: targets))
                continue
            }
            var end = last
            for _ in 0..<count {
                let start = operands[end - 1].start
                open.append(start..<end)
                end = start
            }
        }
        return found
    }
}

extension SortKeyRanges {
    /// The only key; nil if there are several or none.
    fileprivate var point: SortKey? { ranges.count == 1 ? ranges[0].point : nil }
}

extension [RecordOrder] {
    /// The rest of an order if all values of some paths are the same.
    ///
    /// Parts after the name have no effect, and every order ends with the name.
    fileprivate func rest(where constants: ArraySlice<FieldPath>) -> [RecordOrder] {
        var rest: [RecordOrder] = []
        for order in self where !constants.contains(order.path) {
            if order.path == .recordName, !order.isDescending { break }
            rest.append(order)
        }
        return rest
    }
}
