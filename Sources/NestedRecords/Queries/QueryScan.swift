/// Finds the records of a page in a scan of all records.
///
/// It holds as many records as the page, however many match.
package struct QueryScan {
    private var finder: PageFinder<RecordSource, Record>

    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>], isCovered: Bool = false) throws {
        finder = try PageFinder(query, targets: targets, isCovered: isCovered, RecordSource.init)
    }

    package mutating func add(_ record: Record) { ElementInPlace.with(record) { finder.add($0) } }

    mutating func add(_ records: ElementsInPlace<Record>, in positions: Range<Int>) {
        for start in stride(from: positions.lowerBound, to: positions.upperBound, by: UInt64.bitWidth) {
            finder.add(records, in: start..<min(start + UInt64.bitWidth, positions.upperBound))
        }
    }

    package var hasMore: Bool { finder.hasMore }

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
