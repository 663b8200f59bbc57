import NestedRecords

/// The data needed to read entries of a file as of one moment.
struct EntrySource: Sendable {
    let file: StorageFile
    let seed: UInt64

    /// The offset after the last batch.
    let end: Int

    /// The type of the records, if the list may contain records of other types.
    let type: String?
}

/// The newest versions of some records of a file at one moment.
struct EntryList: Sendable {
    let source: EntrySource

    /// In the order of the file; this is a part of all locations.
    private(set) var places: [UInt64] = []

    /// Where the locations after these are; nil if there are none.
    private var rest: Rest?

    /// Memory to sort the next locations.
    private var spare: [UInt64] = []

    private struct Rest {
        let index: FileIndex
        let number: UInt16?
        let limit: Int
        var start: UInt64
    }

    fileprivate init(_ view: OpenFile.View, ofType type: String?, atMost limit: Int) {
        let number = type.flatMap(view.types.number(of:))
        source = EntrySource(
            file: view.file, seed: view.seed, end: view.end,
            // All types beyond the limit share a number.
            type: number.map(Int.init) == TypeTable.mostNumbers ? type : nil)
        if type != nil, number == nil { return }
        if view.index.count <= limit {
            places = view.index.places(ofType: number)
        } else {
            rest = Rest(index: view.index, number: number, limit: limit, start: 0)
            _ = advance()
        }
    }

    /// Whether these are all the locations, and they are few.
    fileprivate var isSmall: Bool { rest == nil && Reader.isSmall(places) }

    /// Advances to the next locations; false if there are none.
    fileprivate mutating func advance() -> Bool {
        places.removeAll(keepingCapacity: rest != nil)
        guard let rest else { return false }
        let next = rest.index.findPlaces(
            &places, &spare, ofType: rest.number, behind: rest.start, atMost: rest.limit)
        // A write copies an index that is held.
        if let next { self.rest?.start = next } else { (self.rest, spare) = (nil, []) }
        return true
    }
}

extension Reader {
    /// The maximum number of locations that a query holds, 8 bytes each, and as many to sort them.
    ///
    /// With a million records a query scans the index four times instead of once, 4 ms each, of 110 ms for a filter.
    static let longestList = 300_000

    /// The entries of all records, or of those of a type.
    func entries(ofType type: String?, atMost limit: Int = longestList) throws -> EntryList {
        EntryList(try file.currentView(), ofType: type, atMost: limit)
    }

    /// The number of records of a type; nil if the records would have to be read to count them.
    func count(ofType type: String) throws -> Int? {
        let view = try file.currentView()
        guard let number = view.types.number(of: type) else { return 0 }
        return number < TypeTable.mostNumbers ? view.index.count(ofType: number) : nil
    }

    /// Calls the closure with the bytes of records; neighbours are read together.
    func forEachRecord(
        at places: ArraySlice<UInt64>, of source: EntrySource,
        _ body: (EntryReader.Wanted, BytesInPlace, inout RecordReader) throws -> Void
    ) throws {
        try withReader(seed: source.seed) { reader in
            let wanted = zip(places, places.indices).map { EntryReader.Wanted(place: $0, number: $1) }
            try reader.forEachEntry(at: wanted, in: source.file) { wanted, entry, form in
                if let type = source.type, try !RecordReader.isType(type, of: entry.body) { return }
                try body(wanted, entry.body, &form)
            }
        }
    }

    /// The number of records visited between two checks for cancellation: some milliseconds.
    private static let longestVisit = 16_384

    /// Passes all records of a list to a visitor, in other threads unless they are few; the list is empty afterwards.
    func visit(_ list: inout EntryList, with visitor: Lock<some BinaryRecordVisitor>) async throws {
        let source = list.source
        let look = { @Sendable (places: ArraySlice<UInt64>) in
            try visitor.withLock { visitor in
                try self.forEachRecord(at: places, of: source) { wanted, bytes, _ in
                    try visitor.visit(bytes, at: wanted.place)
                }
            }
        }
        if list.isSmall { return try look(list.places[...]) }
        repeat {
            for start in stride(from: 0, to: list.places.count, by: Self.longestVisit) {
                let places = list.places[start..<min(start + Self.longestVisit, list.places.count)]
                try await Reader.threads.run { try look(places) }
            }
        } while list.advance()
    }

    /// Passes all records, or those of a type, to a visitor.
    func visit(ofType type: String?, with visitor: Lock<some BinaryRecordVisitor>) async throws {
        var list = try entries(ofType: type)
        try await visit(&list, with: visitor)
    }

    /// The records at some locations, in the order of these locations.
    func records(at places: [UInt64], of source: EntrySource) async throws -> [Record] {
        let read = { @Sendable in
            let order = places.indices.sorted { places[$0] < places[$1] }
            var found: [Record?] = Array(repeating: nil, count: places.count)
            try self.forEachRecord(at: order.map { places[$0] }[...], of: source) { wanted, bytes, form in
                found[order[wanted.number]] = try form.record(from: bytes)
            }
            return found.compactMap { $0 }
        }
        return Self.isSmall(places) ? try read() : try await Reader.threads.run(read)
    }
}
