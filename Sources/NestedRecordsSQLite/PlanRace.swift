#if SQLite
/// Decides between two plans for a page: to read records in the order of the query until the page is full, or to read all
/// records that the index of another plan selects, and to sort them.
///
/// How many records either plan reads depends on how the filter and the order are related, and nothing is known of that.
/// So both begin: records are read in the order, and the numbers of the selected records are read from their index, which
/// takes about a seventh of the time for each. When all of them are known, the index of the order is read on without its
/// records, except selected ones. If the page is not nearly full after as many entries as there are selected records, these
/// are read and sorted.
struct PlanRace {
    private let limit: Int

    /// - Parameter limit: The number of records of the page, at least one.
    init(limit: Int) { self.limit = min(limit, 1 << 40) }

    /// If at most this many records are selected, they are read and sorted: no page is read much faster.
    var firstSelectedCount: Int { max(limit + limit / 4, 24) }

    /// The number of records that are read in the order before ``selectedCount(read:found:)``.
    var firstReadCount: Int { max(limit / 8, 3) + 1 }

    /// How many selected records are looked for after some records were read in the order, of which some match, but too few
    /// for the page.
    func selectedCount(read: Int, found: Int) -> Int { min(6 * read, 2 * rest(read, found)) }

    /// The number of records that are read in the order then, if there are more selected records.
    func readCount(read: Int, found: Int) -> Int { read + min(read, 4 + rest(read, found) * 5 / 4) }

    /// Whether the order is read on after some of its entries were read without their records.
    func goesOn(read: Int, found: Int, selected: Int) -> Bool {
        read < selected || rest(read, found) <= 4 * selected
    }

    /// The expected number of records to read; without a match, which is little knowledge, twice as many as if the next
    /// record matched.
    private func rest(_ read: Int, _ found: Int) -> Int {
        let rest =
            found == 0 ? 2 * Double(limit) * Double(read) : Double(limit + 1 - found) * Double(read) / Double(found)
        return Int(min(rest, 1e9))
    }
}
#endif
