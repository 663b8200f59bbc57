import Foundation
@_spi(Engines) import NestedRecords

/// The part of a filter that Firestore decides: every matching record passes it, and others may.
///
/// Firestore's order, and what it takes as equal, differ from the library's, so it only narrows. A combination needs no index
/// of one's own: equalities, or one of a range, a list of values and an element of a list. Every part of a map has such indexes:
/// https://firebase.google.com/docs/firestore/query-data/index-overview#automatic_indexing.
struct Narrowing {
    let filters: [JSONValue]

    /// The fields that it is about.
    let fields: [FieldPath]

    /// Whether a record passes it exactly if it matches the whole filter.
    let isExact: Bool

    /// Whether it is a range of one field, whose values are all strings or all numbers.
    let isOrderedRange: Bool

    /// The equalities of a query; 100 filters, orders and parts of the path are allowed together.
    ///
    /// https://firebase.google.com/docs/firestore/quotas#queries
    private static let mostEqualities = 50

    /// - Parameter path: The field that the records are ordered by, whose range is preferred; nil for another order.
    /// - Returns: Nil if no part of the filter can be decided by Firestore.
    init?(_ filter: RecordFilter?, orderedBy path: FieldPath? = nil, _ names: DocumentNames) {
        guard let filter else { return nil }
        let terms = Self.conjuncts(of: filter)
        let parts = terms.compactMap { NarrowedTerm($0, names) }
        let equalities = parts.filter(\.isEquality).prefix(Self.mostEqualities)
        let others = parts.filter { !$0.isEquality }
        let chosen =
            equalities.isEmpty
            ? Array((others.filter { $0.isOrdered && $0.field == path } + others).prefix(1)) : Array(equalities)
        guard let first = chosen.first else { return nil }
        filters = chosen.flatMap(\.filters)
        fields = chosen.map(\.field)
        let conditionCount = filter.terms.count { if case .all = $0 { false } else { true } }
        isExact = chosen.count == conditionCount && chosen.allSatisfy(\.isExact)
        isOrderedRange = first.isOrdered && first.field == path
    }

    /// The conditions that must all hold, without combinations.
    private static func conjuncts(of filter: RecordFilter) -> [RecordFilter.Term] {
        var found: [RecordFilter.Term] = []
        var rest = filter.terms[...]
        // The number of operands to take, and of those that belong to a combination to skip.
        var (wanted, skipped) = (1, 0)
        while wanted > 0, let term = rest.popLast() {
            let count = operandCount(of: term)
            if skipped > 0 {
                skipped += count - 1
            } else if case .all(let count) = term {
                wanted += count - 1
            } else {
                wanted -= 1
                if count == 0, !isCombination(term) { found.append(term) }
                skipped = count
            }
        }
        return found
    }

    private static func isCombination(_ term: RecordFilter.Term) -> Bool {
        if case .any = term { true } else { false }
    }

    private static func operandCount(of term: RecordFilter.Term) -> Int {
        switch term {
        case .all(let count), .any(let count): count
        case .not, .refers, .hasElement: 1
        case .compare, .isAny, .exists, .isNull, .hasPrefix, .containsText, .contains, .within, .near: 0
        }
    }
}
