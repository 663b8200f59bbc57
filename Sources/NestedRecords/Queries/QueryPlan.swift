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
    /// - Throws: ``RecordError`` with the code `invalidLimit`, `invalidCollation` or `foreignCursor`.
    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>] = [:], indexes: [FieldIndex]) throws {
        let start = try query.checkedStart()
        let part = RecordFilterPart(query.filter, targets: targets)
        let choices = Choice.all(part, of: query.recordType, order: query.order, indexes)
        self.init(Choice.best(choices), query, start)
    }

    /// The plan for a query, and another plan that reads in the order of the query if the first does not.
    ///
    /// Nothing is known of how the filter and the order are related, so the database tries both plans.
    ///
    /// - Throws: ``RecordError`` with the code `invalidLimit`, `invalidCollation` or `foreignCursor`.
    package static func alternatives(
        _ query: RecordQuery, targets: [Int: Set<Record.ID>], indexes: [FieldIndex]
    ) throws -> (plan: QueryPlan, inOrder: QueryPlan?) {
        let start = try query.checkedStart()
        let part = RecordFilterPart(query.filter, targets: targets)
        let choices = Choice.all(part, of: query.recordType, order: query.order, indexes)
        let best = Choice.best(choices)
        guard query.limit ?? 0 > 0, !best.isEmpty,
            let ordered = choices.least(\.rank, where: \.isOrdered),
            let selective = choices.least(\.selection, where: { $0.selectedCount > 0 })
        else { return (QueryPlan(best, query, start), nil) }
        if ordered.isCovered || selective.selectedPaths.allSatisfy(ordered.selectedPaths.contains) {
            return (QueryPlan(ordered, query, start), nil)
        }
        return (QueryPlan(selective, query, start), QueryPlan(ordered, query, start))
    }

    package init(_ part: RecordFilterPart, ofType type: String, indexes: [FieldIndex]) {
        self.init(Choice.best(Choice.all(part, of: type, order: nil, indexes)), nil, nil)
    }

    /// A plan with an index whose keys are the values of a group's field, after constants; nil if no such index has the
    /// whole filter, and for groups of dates, of which nearly each has a key of its own.
    package init?(
        _ part: RecordFilterPart, ofType type: String, groupedBy group: RecordGrouping?, indexes: [FieldIndex]
    ) {
        guard let group, group.part == nil else { return nil }
        let choices = Choice.all(part, of: type, order: nil, indexes)
        guard let choice = choices.least(\.rank, where: { $0.isCovered && $0.hasGroups(of: group.path) }) else {
            return nil
        }
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
        return query.referenceWords + "Tries two plans, and goes on with the better one. One: "
            + "\(inOrder.ownWords(query)) The other: \(ownWords(query))"
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
    let isOrdered: Bool
    let isDescending: Bool

    /// Whether no record can match.
    let isEmpty: Bool

    /// The number of the first paths whose values the ranges restrict.
    let selectedCount: Int

    /// The less, the fewer records the ranges probably have.
    let selection: Int

    /// The less, the better.
    let rank: Int

    /// The keys of the first paths, for which the filter allows one value each.
    private let constants: [SortKey]

    /// What the filter allows at these paths and at the next one; without an index, at a path that no filter has.
    private let parts: [PathRanges]
    private let conjunctCount: Int

    /// Whether the paths after the constants have the order of the query.
    private let isOrderedByKeys: Bool

    /// The choices that can be of use: to read all records of the type, and each index that restricts or orders them.
    static func all(
        _ part: RecordFilterPart, of type: String, order: [RecordOrder]?, _ indexes: [FieldIndex]
    ) -> [Choice] {
        let conjuncts = part.conjuncts
        var choices = [Choice(ofWholeType: conjuncts, order)]
        for index in indexes where index.recordType == type {
            if let choice = Choice(index, conjuncts, order) { choices.append(choice) }
        }
        return choices
    }

    static func best(_ choices: [Choice]) -> Choice { choices.least(\.rank) { _ in true } ?? choices[0] }

    private init(ofWholeType conjuncts: [RecordFilterPart], _ order: [RecordOrder]?) {
        let part = PathRanges(conjuncts, by: FieldPath([]))
        (index, parts, constants, conjunctCount) = (nil, [part], [], conjuncts.count)
        isEmpty = !part.keys.ranges.contains { $0.contains(SortKey(nil)) }
        isOrdered = order?.rest(where: []).isEmpty == true
        (isDescending, isOrderedByKeys, selectedCount, selection) = (false, false, 0, 6 * 16)
        rank = isEmpty ? 0 : Self.rank(6, isFull: true, isOrdered: isOrdered) * 16
    }

    /// - Returns: Nil if the index neither restricts nor orders the records of a page.
    private init?(_ index: FieldIndex, _ conjuncts: [RecordFilterPart], _ order: [RecordOrder]?) {
        var parts: [PathRanges] = []
        var constants: [SortKey] = []
        for path in index.paths {
            let part = PathRanges(conjuncts, by: path)
            if let order, parts.isEmpty, part.keys.isFull, order.first?.keyPath != path { return nil }
            parts.append(part)
            guard let point = part.keys.point else { break }
            constants.append(point)
        }
        let rest = index.paths.dropFirst(constants.count)
        let open = order?.rest(where: index.paths.prefix(constants.count))
        isOrderedByKeys =
            !rest.isEmpty && rest.elementsEqual(open ?? []) { $0 == $1.keyPath }
            && open?.allSatisfy { $0.isDescending == open?[0].isDescending } == true
        isOrdered = isOrderedByKeys || open?.isEmpty == true && rest.isEmpty
        isDescending = isOrderedByKeys && open?[0].isDescending == true
        let next = rest.isEmpty ? nil : parts.last?.keys
        isEmpty = next?.ranges.isEmpty == true
        selectedCount = constants.count + (next?.isFull == false ? 1 : 0)
        let selectionClass = Self.selectionClass(constants, next)
        selection = selectionClass * 16 - constants.count
        let rank = Self.rank(selectionClass, isFull: next?.isFull ?? true, isOrdered: isOrdered)
        self.rank = isEmpty ? 0 : rank * 16 - constants.count
        (self.index, self.parts, self.constants, conjunctCount) = (index, parts, constants, conjuncts.count)
    }

    /// The ranges of the index's keys.
    var ranges: [SortKeyRange] {
        guard let index else { return isEmpty ? [] : [.all] }
        guard parts.count > constants.count, let next = parts.last?.keys else {
            return [.point(SortKey(joining: constants))]
        }
        return next.ranges.map { $0.combined(after: constants, isLast: parts.count == index.paths.count) }
    }

    /// Whether the filter holds for all records in the ranges.
    var isCovered: Bool {
        (0..<conjunctCount).allSatisfy { number in parts.contains { $0.implies(conjunct: number) } }
    }

    /// Whether the records with one key are those with one value at a path, as far as an order tells values apart.
    func hasGroups(of path: FieldPath) -> Bool {
        guard let index, index.paths.last == path else { return false }
        return constants.count >= index.paths.count - 1
    }

    var selectedPaths: ArraySlice<FieldPath> { index?.paths.prefix(selectedCount) ?? [] }

    /// The key of a cursor, nil if the order is by name alone.
    func key(of cursor: [SortKey], _ order: [RecordOrder]) -> SortKey? {
        guard isOrderedByKeys, let index else { return nil }
        let keys = index.paths.dropFirst(constants.count).compactMap { path in
            order.firstIndex { $0.path == path }.map { cursor[$0] }
        }
        return keys.isEmpty ? nil : SortKey(joining: constants + keys)
    }

    /// 1 for single keys, 2 and 3 for a range after keys, 4 for a range, 6 for more.
    private static func selectionClass(_ constants: [SortKey], _ next: SortKeyRanges?) -> Int {
        let isPoints = next?.ranges.allSatisfy(\.isPoint) ?? true
        let isNarrow =
            next.map { next in
                next.ranges.last?.upper != nil && next.ranges.contains { $0.isPoint || $0.isWithinKind }
            } ?? false
        if isPoints { return 1 }
        return constants.isEmpty ? (isNarrow ? 4 : 6) : isNarrow ? 2 : 3
    }

    private static func rank(_ selection: Int, isFull: Bool, isOrdered: Bool) -> Int {
        switch selection {
        case 6: isOrdered ? isFull ? 11 : 10 : isFull ? 13 : 12
        case 4: isOrdered ? 8 : 9
        // One value of an indexed property and the order are better than several values alone.
        default: isOrdered ? selection : 4 + selection
        }
    }
}

extension [Choice] {
    /// The first of the choices with the least value that meet a condition.
    fileprivate func least(_ value: KeyPath<Choice, Int>, where isPossible: (Choice) -> Bool) -> Choice? {
        var found: Int?
        for position in indices where isPossible(self[position]) {
            if let best = found, self[best][keyPath: value] <= self[position][keyPath: value] { continue }
            found = position
        }
        return found.map { self[$0] }
    }
}

/// The keys at a path that a filter allows.
private struct PathRanges {
    private(set) var keys = SortKeyRanges.all

    /// What the parts of the filter that are about the path allow, of the parts that must all hold.
    private var conjuncts: [(number: Int, ranges: FilterRanges)] = []

    init(_ conjuncts: [RecordFilterPart], by path: FieldPath) {
        for (number, conjunct) in conjuncts.enumerated() {
            let ranges = FilterRanges(of: conjunct, by: path)
            if ranges.keys.isFull, !ranges.isExact { continue }
            self.conjuncts.append((number, ranges))
        }
        guard let first = self.conjuncts.first?.ranges else { return }
        keys = self.conjuncts.dropFirst().reduce(first) { $0.common(with: $1.ranges) }.keys
    }

    /// Whether a part of the filter holds for all records with these keys.
    func implies(conjunct number: Int) -> Bool {
        conjuncts.contains {
            $0.number == number && $0.ranges.isExact
                && ($0.ranges.keys == keys || $0.ranges.keys.common(with: keys) == keys)
        }
    }
}

extension RecordFilterPart {
    /// The parts that must all hold.
    fileprivate var conjuncts: [RecordFilterPart] {
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

extension RecordOrder {
    /// The path whose keys have the order; nil for a collation.
    fileprivate var keyPath: FieldPath? { collation == nil ? path : nil }
}

extension [RecordOrder] {
    /// The rest of an order if all values of some paths are the same.
    ///
    /// Parts after the name have no effect, and every order ends with the name.
    fileprivate func rest(where constants: ArraySlice<FieldPath>) -> [RecordOrder] {
        var rest: [RecordOrder] = []
        for order in self where !constants.contains(order.path) {
            if order.keyPath == .recordName, !order.isDescending { break }
            rest.append(order)
        }
        return rest
    }
}
