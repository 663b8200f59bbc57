#if SQLite
@_spi(Engines) import NestedRecords

extension Connection {
    /// The page, read in the order of the query; nil if the selected records should be read and sorted: see `PlanRace`.
    func page(
        _ query: RecordQuery, _ targets: (ids: [Int: Set<Record.ID>], examinedCount: Int),
        inOrder: [IndexSegment], selected segments: [IndexSegment]
    ) throws -> RecordPage? {
        let race = PlanRace(limit: query.limit ?? 1)
        var selected = SelectedRows(segments)
        defer { selected.close() }
        if try selected.areAllFound(atMost: race.firstSelectedCount, in: self) { return nil }
        var scan = try BinaryQueryScan(query, targets: targets.ids)
        var (readCount, lastRead) = (0, Int64(0))
        var end = race.firstReadCount
        try visit(inOrder, readsMetadata: scan.readsMetadata) { row in
            if readCount == end, !scan.hasMore {
                let most = race.selectedCount(read: readCount, found: scan.foundCount)
                if try selected.areAllFound(atMost: most, in: self) { return false }
                end = race.readCount(read: readCount, found: scan.foundCount)
            }
            (readCount, lastRead) = (readCount + 1, row.number)
            return try scan.take(row, isOrdered: true)
        }
        if selected.areAllFound, !scan.hasMore,
            try !scan.goOn(race, in: inOrder, after: lastRead, with: Set(selected.numbers), self)
        {
            if deadline != nil, selected.numbers.count > Self.mostRecordsHere { throw NeedsOwnThread() }
            return nil
        }
        let records = try records(inRows: scan.locations, for: query)
        return scan.page(of: records, examinedElsewhere: targets.examinedCount)
    }
}

extension BinaryQueryScan {
    /// Examines the selected records in the order, after the row that was examined last.
    ///
    /// - Returns: False if the page is not full.
    fileprivate mutating func goOn(
        _ race: PlanRace, in segments: [IndexSegment], after last: Int64, with numbers: Set<Int64>,
        _ connection: Connection
    ) throws -> Bool {
        var (count, found, isFull, isComplete) = (0, foundCount, hasMore, true)
        var isAfterLast = false
        guard let type = segments.first?.type else { return true }
        try connection.visit(segments, \.statements.numbers, keyColumn: 1, atMostHere: 1_600) { row, hasSameKey in
            count += 1
            let number = row.int(0)
            if !isAfterLast {
                isAfterLast = number == last
                return true
            }
            // Among records with the same key, the first names may come last.
            if isFull {
                if !hasSameKey { return false }
            } else if count > numbers.count,
                !race.goesOn(read: count, found: found, selected: numbers.count)
            {
                isComplete = false
                return false
            }
            if numbers.contains(number) {
                try connection.visit(number, ofType: type, &self)
                (found, isFull) = (foundCount, hasMore)
            }
            return true
        }
        return isComplete
    }
}

extension Connection {
    fileprivate func visit(
        _ number: Int64, ofType type: StoredTerms.StoredType, _ scan: inout BinaryQueryScan
    ) throws {
        let sql = "SELECT \(Self.namedColumns("NULL")) FROM records WHERE number = ?1"
        try forEachRow(sql, [.int(number)]) { row in
            let isVisited: Void? = try withParts(of: row, at: 0, typeHash: type.hash) {
                try scan.visit($0, at: UInt64(bitPattern: number))
            }
            if isVisited == nil { throw missingRecord }
            return false
        }
    }
}

/// The numbers of the rows that an index selects, read as far as they are needed.
private struct SelectedRows {
    private var segments: ArraySlice<IndexSegment>
    private var rows: Rows?
    private(set) var numbers: [Int64] = []

    init(_ segments: [IndexSegment]) { self.segments = segments[...] }

    var areAllFound: Bool { rows == nil && segments.isEmpty }

    /// Reads until more numbers than some are found.
    ///
    /// - Returns: Whether there are no others.
    mutating func areAllFound(atMost most: Int, in connection: Connection) throws -> Bool {
        while numbers.count <= most {
            if let row = try rows?.next() {
                numbers.append(row.int(0))
                if numbers.count.isMultiple(of: 64) { try connection.checkCancellation() }
                continue
            }
            close()
            guard let segment = segments.popFirst() else { return true }
            rows = try connection.rows(segment.order.statements.numbers, segment.values)
        }
        return false
    }

    mutating func close() {
        rows?.close()
        rows = nil
    }
}
#endif
