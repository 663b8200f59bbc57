/// The choices of ``PlanRace``, for the next queries.
///
/// Services ask the same questions often, with the same values or with others, and a choice can take as long as a page:
/// 8 µs in SQLite, and a round trip on PostgreSQL. A query that is equal to one before takes its plans and its choice. A
/// query with other values begins with the usual choice, which is a hint: the race goes on where it was not right. A choice
/// is forgotten after 64 uses or ten seconds, since records change, and with each change of the indexes.
package struct PlanMemory: Sendable {
    package enum Choice: Sendable, Equatable {
        /// The index of the filter selected this many records.
        case filter(selectedCount: Int)

        /// The page was full after this many records were read in the order of the query.
        case inOrder(readCount: Int)

        package var isFilter: Bool {
            if case .filter = self { true } else { false }
        }

        fileprivate var count: Int {
            switch self {
            case .filter(let count), .inOrder(let count): count
            }
        }
    }

    /// The plans and the choice for an equal query.
    package struct Known: Sendable {
        package let choice: Choice
        package let plan: QueryPlan
        package let inOrder: QueryPlan

        package init(_ choice: Choice, _ plan: QueryPlan, inOrder: QueryPlan) {
            (self.choice, self.plan, self.inOrder) = (choice, plan, inOrder)
        }
    }

    private struct Entry<Content: Sendable>: Sendable {
        let content: Content
        let end: ContinuousClock.Instant
        var usesLeft: Int
    }

    private var entries: [RecordQuery: Entry<Known>] = [:]

    /// The choices by queries without values; nil if the choice depends on the values.
    private var usualChoices: [RecordQuery: Entry<Choice?>] = [:]
    private var usualCount: UInt8 = 0
    private var indexVersion = ""

    package init() {}

    /// - Parameter indexVersion: A string that changes with the indexes.
    package mutating func known(for query: RecordQuery, indexVersion: String, at time: ContinuousClock.Instant)
        -> Known?
    {
        if indexVersion != self.indexVersion {
            self.indexVersion = indexVersion
            entries.removeAll()
            usualChoices.removeAll()
        }
        if entries.isEmpty || !query.mayBeKept { return nil }
        return Self.use(&entries, query, at: time)
    }

    /// The choice for a query with other values; nil if there is none, or if it can be far worse for these values.
    package mutating func usualChoice(for query: RecordQuery, at time: ContinuousClock.Instant) -> Choice? {
        if usualChoices.isEmpty { return nil }
        guard let choice = Self.use(&usualChoices, query.withoutValues, at: time) ?? nil else { return nil }
        return choice.count <= 4 * max(query.limit ?? 1, 32) ? choice : nil
    }

    /// Keeps a choice.
    ///
    /// - Parameter usual: The choice with which the query began. If it was right, three of four choices are not kept: to
    ///   keep one takes 2 µs, and most queries of this kind do not come again.
    package mutating func note(
        _ known: Known, for query: RecordQuery, usual: Choice? = nil, at time: ContinuousClock.Instant
    ) {
        if usual?.isFilter == known.choice.isFilter {
            usualCount = (usualCount + 1) % 4
            if usualCount != 0 { return }
        }
        if query.mayBeKept { Self.add(known, to: &entries, query, at: time) }
        let key = query.withoutValues
        let before = usualChoices[key].flatMap { $0.usesLeft > 0 && time < $0.end ? $0 : nil }
        guard let before else { return Self.add(known.choice, to: &usualChoices, key, at: time) }
        guard let choice = before.content else { return }
        if choice.isFilter != known.choice.isFilter {
            // The values decide, or the records have changed.
            Self.add(nil, to: &usualChoices, key, uses: 16, at: time)
        } else if choice.count < known.choice.count {
            Self.add(known.choice, to: &usualChoices, key, at: time)
        }
    }

    private static func use<Content>(
        _ entries: inout [RecordQuery: Entry<Content>], _ query: RecordQuery, at time: ContinuousClock.Instant
    ) -> Content? {
        guard let position = entries.index(forKey: query) else { return nil }
        let entry = entries.values[position]
        guard entry.usesLeft > 0, time < entry.end else {
            entries.remove(at: position)
            return nil
        }
        entries.values[position].usesLeft -= 1
        return entry.content
    }

    private static func add<Content>(
        _ content: Content, to entries: inout [RecordQuery: Entry<Content>], _ query: RecordQuery, uses: Int = 64,
        at time: ContinuousClock.Instant
    ) {
        if entries.count >= 256 { entries.removeAll(keepingCapacity: true) }
        entries[query] = Entry(content: content, end: time + .seconds(10), usesLeft: uses)
    }
}

extension RecordQuery {
    /// Whether the plans of this query are those of every equal query.
    ///
    /// The plans of a query with a link depend on the records that the link leads to. Types and prefixes that are
    /// canonically equivalent make equal queries, but the plans have their bytes: only ASCII has one spelling.
    fileprivate var mayBeKept: Bool {
        guard after == nil, recordType.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return filter?.terms.allSatisfy { term in
            switch term {
            case .refers: false
            case .hasPrefix(_, let prefix): prefix.utf8.allSatisfy { $0 < 0x80 }
            default: true
            }
        } ?? true
    }

    /// The query with one value for all values, and without its cursor.
    fileprivate var withoutValues: RecordQuery {
        var query = self
        query.after = nil
        query.filter = filter.map { RecordFilter(terms: $0.terms.map(\.withoutValues)) }
        return query
    }
}

extension RecordFilter.Term {
    fileprivate var withoutValues: Self {
        switch self {
        case .compare(let path, let comparison, _): .compare(path, comparison, .bool(false))
        case .isAny(let path, _): .isAny(path, of: [])
        case .hasPrefix(let path, _): .hasPrefix(path, "")
        case .containsText(let path, _, let ignoresCase): .containsText(path, "", ignoresCase: ignoresCase)
        case .contains(let path, _): .contains(path, .bool(false))
        case .within(let path, _, _), .near(let path, _, _): .hasElement(path)
        case .exists, .isNull, .refers, .hasElement, .all, .any, .not: self
        }
    }
}
