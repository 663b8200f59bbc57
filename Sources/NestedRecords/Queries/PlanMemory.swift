/// The choices of ``PlanRace`` for the first pages of queries, for the next queries that are equal.
///
/// Services ask the same questions often, and a choice can take as long as the page: 8 µs in SQLite, and a round trip on
/// PostgreSQL. A choice is forgotten after 64 uses or ten seconds, since records change, and with each change of the
/// indexes.
package struct PlanMemory: Sendable {
    package enum Choice: Sendable, Equatable {
        case filter

        /// The page was full after this many records were read in the order of the query.
        case inOrder(readCount: Int)
    }

    package struct Known: Sendable {
        package let choice: Choice
        package let plan: QueryPlan
        package let inOrder: QueryPlan

        package init(_ choice: Choice, _ plan: QueryPlan, inOrder: QueryPlan) {
            (self.choice, self.plan, self.inOrder) = (choice, plan, inOrder)
        }

        /// The first step of a race with this choice, which goes on when the choice is no longer right.
        package var firstStep: PlanRace.Step {
            switch choice {
            case .filter: .useFilter
            case .inOrder(let count): .readInOrder(until: 2 * count)
            }
        }
    }

    private struct Entry {
        let known: Known
        let end: ContinuousClock.Instant
        var usesLeft = 64
    }

    private var entries: [RecordQuery: Entry] = [:]
    private var indexVersion = ""

    package init() {}

    /// - Parameter indexVersion: A string that changes with the indexes.
    package mutating func known(for query: RecordQuery, indexVersion: String, at time: ContinuousClock.Instant)
        -> Known?
    {
        if indexVersion != self.indexVersion {
            self.indexVersion = indexVersion
            entries.removeAll()
        }
        guard !entries.isEmpty, query.mayBeKept, let position = entries.index(forKey: query) else { return nil }
        let entry = entries.values[position]
        guard entry.usesLeft > 0, time < entry.end else {
            entries.remove(at: position)
            return nil
        }
        entries.values[position].usesLeft -= 1
        return entry.known
    }

    package mutating func note(_ known: Known, for query: RecordQuery, at time: ContinuousClock.Instant) {
        guard query.mayBeKept else { return }
        if entries.count >= 256 { entries.removeAll(keepingCapacity: true) }
        entries[query] = Entry(known: known, end: time + .seconds(10))
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
}
