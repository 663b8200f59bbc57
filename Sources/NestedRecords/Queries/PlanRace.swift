/// Decides between two plans for a page: to read records in the order of the query until the page is full, or to read all
/// records that the index of another plan selects, and to sort them.
///
/// The number of selected records is counted in the index. How many records must be read in the order depends on the
/// records that match: the first ones that are read are the sample. Reading in the order begins, unless the selected
/// records are few, and ends when the rest is expected to cost more than the other plan. Counting a record in an index takes
/// about a tenth of the time of reading one.
package struct PlanRace {
    private let limit: Int
    private var selectedCount = 0
    private var isExact = false

    /// - Parameter limit: The number of records of the page, at least one.
    package init(limit: Int) { self.limit = limit }

    /// What to do next.
    package enum Step: Equatable {
        /// Count the records that the filter's index selects, up to a number: ``noteSelected(_:atMost:)``.
        case countSelected(atMost: Int)

        /// Count the records of the order's index, up to a number: ``step(ofAll:)``.
        case countAll(atMost: Int)

        /// Read in the order until this many records were read: ``step(read:found:)``.
        case readInOrder(until: Int)

        case useFilter
    }

    package var firstStep: Step { .countSelected(atMost: max(4 * min(limit, 1 << 20), 100) + 1) }

    /// The first step of a database that has already read this many selected records, of more, because it takes as long
    /// as to count them.
    package mutating func firstStep(afterSelected count: Int) -> Step {
        selectedCount = count
        return limit > count ? firstStep : .readInOrder(until: max(limit, 32))
    }

    package mutating func noteSelected(_ count: Int, atMost most: Int) {
        (selectedCount, isExact) = (count, count < most)
    }

    /// The step after ``firstStep``.
    package var secondStep: Step {
        if isExact, selectedCount <= limit { return .useFilter }
        // With fewer records than this, a page is expected to be full before as many are read as are selected.
        if isExact { return .countAll(atMost: min(greatestCount, 4 * selectedCount) + 1) }
        return .readInOrder(until: max(limit, 32))
    }

    private var greatestCount: Int { selectedCount * selectedCount / limit }

    package func step(ofAll count: Int) -> Step {
        if count > greatestCount { return .useFilter }
        return .readInOrder(until: count > 4 * selectedCount ? max(limit, selectedCount / 5) : selectedCount)
    }

    /// The step after some records were read in the order, of which some match, but too few for the page.
    package func step(read: Int, found: Int) -> Step {
        let rest = found == 0 ? 2 * Double(limit) * Double(read) : Double(limit - found) * Double(read) / Double(found)
        let goOn = Step.readInOrder(until: 2 * read)
        if rest <= Double(selectedCount) { return goOn }
        if !isExact {
            // Without a match among them, the records that were read say little of the rest.
            let most = Int(min(rest, found == 0 ? 8 * Double(read) : 1e6)) + 1
            return selectedCount < most ? .countSelected(atMost: most) : goOn
        }
        // Data may be correlated: the worse the prospect, if it is known, the sooner the reading ends.
        let isFarMore = rest > 2 * Double(selectedCount) && found > 0
        let most = selectedCount / (isFarMore ? 5 : 2)
        return read >= most ? .useFilter : .readInOrder(until: min(2 * read, most))
    }
}
