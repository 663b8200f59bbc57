@_spi(Engines) import NestedRecords

extension FileRecordDatabase {
    /// Reads everything in the file, including superseded data, and compares it with its checksums.
    ///
    /// - Returns: The problems in the order of the file; empty if the file is undamaged.
    /// - Throws: `RecordDatabaseError.closed`, errors of the system, and `CancellationError` if the task is
    ///   cancelled.
    /// - Complexity: O(*n*) for *n* bytes. The memory is in proportion to the index.
    public func verify() async throws -> [Problem] {
        try await store.prepare()
        // In the turn of the writer, so that the header belongs to the current view.
        let (view, head) = try await store.writer.run { [store] _ in
            let view = try store.file.currentView()
            return (view, try? FileHead(of: view.file))
        }
        return try await BlockingQueue.runAlone { checkGoesOn in
            var verification = FileVerification(view, head)
            return try verification.run(checkGoesOn)
        }
    }
}

private struct FileVerification {
    typealias Problem = FileRecordDatabase.Problem

    private let view: OpenFile.View
    private let head: FileHead?
    private let places: [UInt64]
    private var problems: [Problem] = []

    init(_ view: OpenFile.View, _ head: FileHead?) {
        (self.view, self.head, places) = (view, head, view.index.places())
    }

    mutating func run(_ checkGoesOn: () throws -> Void) throws -> [Problem] {
        if head == nil { note(0, .header, "the header and its copy, or both states, are damaged") }
        for part in head?.damaged ?? [] { note(part.offset, part.kind, "the checksum is wrong", isDead: true) }
        var cursor = BlockCursor(view.file, seed: view.seed, FileHeader.batchesStart..<view.end, .skip)
        // The number of index locations with a record that a fetch finds there; and the records found by keys with
        // several locations: these records are different, unless the index is wrong.
        var (foundCount, found) = (0, Set<Record.ID>())
        try cursor.checkAll(checkGoesOn) { entry in
            guard !entry.isDeletion, let key = view.types.key(of: entry.id) else { return }
            let place = EntryLocation.make(offset: entry.range.lowerBound, length: entry.range.count)
            guard view.index.contains(key, at: place) else { return }
            var placeCount = 0
            view.index.forEachPlace(of: key) { _ in placeCount += 1 }
            if placeCount == 1 || found.insert(entry.id).inserted { foundCount += 1 }
        }
        problems += cursor.damage.map {
            Problem(
                offset: $0.range.lowerBound, record: $0.record, kind: $0.kind, isDead: isDead($0), reason: $0.reason)
        }
        guard var head, !problems.contains(where: { !$0.isDead }) else { return problems }
        if foundCount != places.count {
            let count = places.count - foundCount
            note(view.end, .index, "\(count) of its \(places.count) locations have no record of their own")
        }
        // If any entry is damaged, even an old one, the index cannot be rebuilt from the batches.
        guard cursor.damage.allSatisfy({ $0.kind == .index }), foundCount == places.count else { return problems }
        head.state = LogState()
        var replay = try LogReplay(file: view.file, head: head, size: view.end)
        try replay.run()
        if replay.index.places() != places {
            note(view.end, .index, "the index in memory does not lead to the newest versions of the records")
        }
        return problems
    }

    private mutating func note(_ offset: Int, _ kind: Problem.Kind, _ reason: String, isDead: Bool = false) {
        problems.append(Problem(offset: offset, record: nil, kind: kind, isDead: isDead, reason: reason))
    }

    private func isDead(_ damage: BlockCursor.Damage) -> Bool {
        switch damage.kind {
        case .index: return true
        case .entry, .record:
            let (first, end) = (UInt64(damage.range.lowerBound) << 24, UInt64(damage.range.upperBound) << 24)
            // The first location at or after the damage.
            var (low, high) = (0, places.count)
            while low < high {
                let middle = (low + high) / 2
                if places[middle] < first { low = middle + 1 } else { high = middle }
            }
            return low == places.count || places[low] >= end
        default: return false
        }
    }
}
