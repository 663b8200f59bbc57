import NestedRecords

extension LogStore {
    /// What readers use, whatever is written meanwhile.
    func currentView() throws -> View {
        let view = view.withLock { $0 }
        guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        return view
    }

    /// The records with these IDs that are there.
    func records(for ids: [Record.ID]) throws -> [Record.ID: Record] {
        // Not the whole view: a copy held during a write would make the index be copied.
        let (file, places) = try view.withLock { view -> (StorageFile, [(position: Int, place: UInt64)]) in
            guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            var places: [(Int, UInt64)] = []
            places.reserveCapacity(ids.count)
            for (position, id) in ids.enumerated() {
                guard let key = view.types.key(of: id) else { continue }
                view.index.forEachPlace(of: key) { places.append((position, $0)) }
            }
            return (view.file, places)
        }
        var found: [Record.ID: Record] = [:]
        found.reserveCapacity(places.count)
        var reader = readers.withLock { $0.popLast() } ?? EntryReader(seed: seed)
        defer { readers.withLock { if $0.count < 16 { $0.append(reader) } } }
        for (position, place) in places {
            let id = ids[position]
            let record = try reader.read(place, in: file) { entry, form in
                try RecordReader.hasID(id, in: entry.body) ? form.record(from: entry.body) : nil
            }
            if let record { found[id] = record }
        }
        return found
    }

    /// Every record, or every record of a type, as they are when the first one is asked for.
    func sequence(ofType type: String?) -> RecordSequence {
        RecordSequence { [self] in
            var scan: RecordScan?
            return {
                if scan == nil { scan = try RecordScan(self, type: type) }
                return try scan?.next()
            }
        }
    }
}

/// Goes through the records of a file, in its order.
struct RecordScan {
    private let file: StorageFile
    private let type: String?
    private let seed: UInt64
    private let places: [UInt64]
    private var position = 0
    private var window: BufferedReader
    private var lengths: EntryReader
    private var form = RecordReader()

    init(_ store: LogStore, type: String?) throws {
        let view = try store.currentView()
        file = view.file
        seed = store.seed
        self.type = type
        if let type {
            places = view.types.number(of: type).map { view.index.places(ofType: $0) } ?? []
        } else {
            places = view.index.places()
        }
        window = BufferedReader(file: file, end: view.end)
        lengths = EntryReader(seed: seed)
    }

    mutating func next() throws -> Record? {
        while position < places.count {
            let place = places[position]
            position += 1
            let offset = EntryLocation.offset(place)
            let length = try lengths.length(of: place, in: file)
            let (seed, path) = (seed, file.path)
            let record = try window.withBytes(length, at: offset) { bytes in
                try EntryReader.withEntry(bytes, seed: seed, at: offset, path: path) { entry in
                    try form.record(from: entry.body)
                }
            }
            if type == nil || record.id.type == type { return record }
        }
        return nil
    }
}
