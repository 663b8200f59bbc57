/// Filters that are still to be combined, as a parser reads them: an operator combines the last ones.
///
/// A filter may be nested more deeply than a stack of calls allows, so nothing here uses recursion.
package struct FilterStack {
    private var terms: [RecordFilter.Term] = []

    /// The position of each filter's first term.
    private var starts: [Int] = []

    package init() {}

    package mutating func push(_ filter: RecordFilter) {
        starts.append(terms.count)
        terms += filter.terms
    }

    /// Removes the last filter.
    package mutating func pop() -> RecordFilter {
        guard let start = starts.popLast() else { return .all([]) }
        defer { terms.removeSubrange(start...) }
        return RecordFilter(terms: Array(terms[start...]))
    }

    /// Replaces the last filters by one that holds if all of them hold.
    package mutating func combineAll(_ count: Int) { replaceLast(count, by: .all(count)) }

    /// Replaces the last filters by one that holds if one of them holds.
    package mutating func combineAny(_ count: Int) { replaceLast(count, by: .any(count)) }

    /// Negates the last filter.
    package mutating func negate() { terms.append(.not) }

    private mutating func replaceLast(_ count: Int, by term: RecordFilter.Term) {
        let start = starts.suffix(count).first ?? terms.count
        starts.removeLast(count)
        starts.append(start)
        terms.append(term)
    }
}
