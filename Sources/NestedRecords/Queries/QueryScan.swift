/// Finds the records of a page among all records, one after the other.
///
/// It holds as many records as the page, whatever the number of those that fit.
package struct QueryScan {
    private let query: RecordQuery
    private let predicate: RecordPredicate
    private let limit: Int

    /// The place behind which the page begins.
    private let start: [UInt8]?

    /// The first records of those that fit: a heap with the last of them on top.
    private var found: [(place: [UInt8], record: Record)] = []

    /// How many records of the type were looked at.
    private var examinedCount = 0

    /// How many of them fit and are behind the start.
    private var matchCount = 0

    /// - Parameters:
    ///   - query: The query.
    ///   - targets: For each term of the filter that follows references, by its position, the records that they may
    ///     lead to.
    /// - Throws: ``RecordQueryError``.
    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>]) throws {
        self.query = query
        predicate = try RecordPredicate(query.filter, targets: targets)
        limit = query.limit.map { max(0, $0) } ?? .max
        start = try query.after.map { cursor in
            let position = try cursor.position(in: query)
            return Self.place(position.keys, position.name, query)
        }
    }

    /// Looks at a record of the type.
    package mutating func add(_ record: Record) {
        examinedCount += 1
        guard predicate.holds(for: record) else { return }
        let place = Self.place(query.order.map { SortKey($0.path.value(in: record)) }, record.id.name, query)
        if let start, !start.isBefore(place) { return }
        matchCount += 1
        if found.count < limit {
            found.append((place, record))
            // The heap is made when it is full.
            if found.count == limit { for position in (0..<limit / 2).reversed() { sink(position) } }
        } else if let last = found.first, place.isBefore(last.place) {
            found[0] = (place, record)
            sink(0)
        }
    }

    /// The page.
    ///
    /// - Parameter examinedElsewhere: How many records of other types were looked at.
    package func page(examinedElsewhere: Int = 0) -> RecordPage {
        let records = found.sorted { $0.place.isBefore($1.place) }.map(\.record)
        let next = matchCount > records.count ? records.last.map { QueryCursor(of: query, after: $0) } : nil
        return RecordPage(
            records: records, next: next,
            statistics: QueryStatistics(examinedCount: examinedCount + examinedElsewhere, matchCount: matchCount))
    }

    /// Bytes that are in the order of the query.
    private static func place(_ keys: [SortKey], _ name: String, _ query: RecordQuery) -> [UInt8] {
        if keys.isEmpty { return Array(name.utf8) }
        var place: [UInt8] = []
        for (key, order) in zip(keys, query.order) {
            let bytes = key.bytes + [1, 1]
            place += order.isDescending ? bytes.map { ~$0 } : bytes
        }
        return place + name.utf8
    }

    /// Moves an element of the heap down to its place.
    private mutating func sink(_ position: Int) {
        var position = position
        while true {
            var last = position
            for child in 2 * position + 1...2 * position + 2
            where child < found.count && found[last].place.isBefore(found[child].place) {
                last = child
            }
            if last == position { return }
            found.swapAt(position, last)
            position = last
        }
    }
}
