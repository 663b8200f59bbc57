/// Finds the records of a page in a scan of all records.
///
/// It holds as many records as the page, however many match.
package struct QueryScan {
    private var finder: PageFinder<RecordSource, Record>

    /// - Parameters:
    ///   - query: The query.
    ///   - targets: For each term that follows references, by its position, the records that they may lead to.
    ///   - isCovered: Whether all added records match the filter.
    /// - Throws: ``RecordError``.
    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>], isCovered: Bool = false) throws {
        finder = try PageFinder(query, targets: targets, isCovered: isCovered, RecordSource.init)
    }

    /// Examines a record of the type.
    package mutating func add(_ record: Record) { ElementInPlace.with(record) { finder.add($0) } }

    /// Examines records of the type in place.
    mutating func add(_ records: ElementsInPlace<Record>, in positions: Range<Int>) {
        for start in stride(from: positions.lowerBound, to: positions.upperBound, by: UInt64.bitWidth) {
            finder.add(records, in: start..<min(start + UInt64.bitWidth, positions.upperBound))
        }
    }

    /// Whether more records match than the page has: then a scan in the order of the query may stop.
    package var hasMore: Bool { finder.hasMore }

    /// The page.
    ///
    /// - Parameter examinedElsewhere: The number of examined records of other types.
    package func page(examinedElsewhere: Int = 0) -> RecordPage {
        finder.page(of: finder.items, examinedElsewhere: examinedElsewhere)
    }
}

extension PageFinder where Fields == RecordSource, Item == Record {
    @inline(__always)
    fileprivate mutating func add(_ record: ElementInPlace<Record>) {
        source.begin(at: record)
        examine(record.value)
    }

    /// Examines at most 64 records.
    fileprivate mutating func add(_ records: ElementsInPlace<Record>, in positions: Range<Int>) {
        var candidates = predicate.candidates(among: records, in: positions, &source)
        pass(positions.count - candidates.nonzeroBitCount)
        while candidates != 0 {
            add(records[positions.lowerBound + candidates.trailingZeroBitCount])
            candidates &= candidates - 1
        }
    }
}
