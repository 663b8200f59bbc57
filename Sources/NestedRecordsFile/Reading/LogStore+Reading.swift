import NestedRecords

extension LogStore {
    /// What readers use, whatever is written meanwhile.
    func currentView() throws -> View {
        let view = view.withLock { $0 }
        guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        return view
    }

    /// How much is read in the thread of the task that fetches: less than a change of threads is worth.
    private static let smallFetch = (records: 32, bytes: 64 << 10)

    /// The entries of a fetch; the number of each is the position of the ID.
    struct Places {
        let file: StorageFile
        let seed: UInt64
        var entries: [EntryReader.Wanted] = []
        var byteCount = 0
        var isSorted = true
    }

    /// The records with these IDs that are there, in the order of the file; large fetches run in threads of their own.
    func records(for ids: [Record.ID]) async throws -> [Record] {
        guard ids.count <= Self.smallFetch.records else {
            return try await FetchQueues.shared.run { try self.records(ids, at: self.places(of: ids)) }
        }
        let places = try places(of: ids)
        guard places.byteCount <= Self.smallFetch.bytes else {
            return try await FetchQueues.shared.run { try self.records(ids, at: places) }
        }
        return try records(ids, at: places)
    }

    func places(of ids: [Record.ID]) throws -> Places {
        // Not the whole view: a copy that is held during a write makes the index be copied.
        try view.withLock { view in
            guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            var places = Places(file: view.file, seed: view.seed)
            places.entries.reserveCapacity(ids.count)
            var last: UInt64 = 0
            var keys = TypeTable.Keys(view.types)
            for number in 0..<ids.count {
                guard let key = keys.key(of: ids[number]) else { continue }
                view.index.forEachPlace(of: key) { place in
                    places.entries.append(EntryReader.Wanted(place: place, number: number))
                    places.byteCount += EntryLocation.length(place)
                    places.isSorted = places.isSorted && last <= place
                    last = place
                }
            }
            return places
        }
    }

    private func records(_ ids: [Record.ID], at places: Places) throws -> [Record] {
        var entries = places.entries
        if !places.isSorted { entries.sort { $0.place < $1.place } }
        var found: [Record] = []
        found.reserveCapacity(entries.count)
        try withReader(seed: places.seed) { reader in
            // An ID that is given twice has its record in one place.
            var last: UInt64 = 0
            try reader.forEachEntry(at: entries, in: places.file) { wanted, entry, form in
                guard wanted.place != last, let record = try form.record(ids[wanted.number], from: entry.body) else {
                    return
                }
                found.append(record)
                last = wanted.place
            }
        }
        return found
    }

    /// Calls the closure with a reader that knows the names of the fields that were read before.
    func withReader(seed: UInt64, _ body: (inout EntryReader) throws -> Void) throws {
        var reader = readers.withLock { $0.popLast() } ?? EntryReader(seed: seed)
        reader.seed = seed
        defer {
            reader.shrink()
            readers.withLock { if $0.count < 16 { $0.append(reader) } }
        }
        try body(&reader)
    }

    /// Whether entries are read in the thread of the task that asks.
    static func isSmall(_ places: [UInt64]) -> Bool {
        places.count <= smallFetch.records
            && places.reduce(0) { $0 + EntryLocation.length($1) } <= smallFetch.bytes
    }

    /// Every record, or every record of a type, as they are when the first one is asked for.
    func sequence(ofType type: String?) -> RecordSequence {
        RecordSequence { ScannedRecords(store: self, type: type) }
    }

    private struct ScannedRecords: RecordSequence.Source {
        let store: LogStore
        let type: String?
        var scan: RecordScan?

        mutating func next() async throws -> Record? {
            if scan == nil { scan = try store.following { try RecordScan($0, type: type) } }
            return try scan?.next()
        }
    }
}

/// Goes through the records of a file, in its order.
struct RecordScan {
    private let source: EntrySource
    private let places: [UInt64]
    private var position = 0

    private var window: BufferedReader
    private var lengths: EntryReader
    private var form = RecordReader()

    init(_ store: LogStore, type: String?) throws {
        // Not a part of them: what is done with the records may take long, and a write copies an index that is held.
        let list = try store.entries(ofType: type, atMost: .max)
        (source, places) = (list.source, list.places)
        window = BufferedReader(file: source.file, end: source.end)
        lengths = EntryReader(seed: source.seed)
    }

    mutating func next() throws -> Record? {
        while position < places.count {
            let place = places[position]
            position += 1
            let offset = EntryLocation.offset(place)
            let length = try lengths.length(of: place, in: source.file)
            let (seed, path) = (source.seed, source.file.path)
            let record = try window.withBytes(length, at: offset) { bytes in
                try EntryReader.withEntry(bytes, seed: seed, at: offset, path: path) { entry in
                    try form.record(from: entry.body)
                }
            }
            if source.type == nil || record.id.type == source.type { return record }
        }
        return nil
    }
}
