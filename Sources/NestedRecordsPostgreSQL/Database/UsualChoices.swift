#if PostgreSQL
import NestedRecords

/// The choices of `PlanRace` for queries, for the same queries with other values.
///
/// A service asks the same question for each of its users, and a choice takes a round trip. So a query begins with the
/// choice that is usual for it. That is a hint: where it reads more records than expected, the race goes on. A choice is
/// forgotten after 64 uses, since records change.
struct UsualChoices: Sendable {
    enum Choice: Sendable, Equatable {
        /// The index of the filter selected this many records.
        case filter(selectedCount: Int)

        /// The page was full after this many records were read in the order of the query.
        case inOrder(readCount: Int)

        var plan: PlanMemory.Choice {
            switch self {
            case .filter: .filter
            case .inOrder(let count): .inOrder(readCount: count)
            }
        }

        fileprivate var isFilter: Bool { plan == .filter }

        fileprivate var count: Int {
            switch self {
            case .filter(let count), .inOrder(let count): count
            }
        }
    }

    private struct Entry {
        /// Nil if the choice depends on the values.
        var choice: Choice?
        var usesLeft: Int
    }

    private var entries: [RecordQuery: Entry] = [:]

    /// The choice with which a query begins; nil if there is none, or if it can be far worse for the values of this query.
    mutating func choice(for query: RecordQuery) -> Choice? {
        let query = query.withoutValues
        guard let position = entries.index(forKey: query) else { return nil }
        let entry = entries.values[position]
        entries.values[position].usesLeft -= 1
        if entry.usesLeft == 1 { entries.remove(at: position) }
        guard let choice = entry.choice, choice.count <= 4 * max(query.limit ?? 1, 32) else { return nil }
        return choice
    }

    mutating func note(_ choice: Choice, for query: RecordQuery) {
        let query = query.withoutValues
        guard let entry = entries[query] else {
            if entries.count >= 256 { entries.removeAll(keepingCapacity: true) }
            entries[query] = Entry(choice: choice, usesLeft: 64)
            return
        }
        guard let known = entry.choice else { return }
        if known.isFilter != choice.isFilter {
            // The values decide, or the records have changed.
            entries[query] = Entry(choice: nil, usesLeft: 16)
        } else if known.count < choice.count {
            entries[query] = Entry(choice: choice, usesLeft: 64)
        }
    }
}

extension RecordQuery {
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
        // A hint may be that of another query, so one kind of term is enough for all areas.
        case .within(let path, _, _), .near(let path, _, _): .hasElement(path)
        case .exists, .isNull, .refers, .hasElement, .all, .any, .not: self
        }
    }
}
#endif
