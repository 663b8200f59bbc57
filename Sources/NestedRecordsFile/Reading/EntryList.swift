@_spi(Engines) import NestedRecords

struct EntryList: Sendable {
    let file: StorageFile
    let seed: UInt64
    let places: [UInt64]
}

extension Reader {
    func entries(ofType type: String?) throws -> EntryList {
        let view = try file.currentView()
        let number = type.flatMap(view.types.number(of:))
        let places = type != nil && number == nil ? [] : view.index.places(ofType: number)
        return EntryList(file: view.file, seed: view.seed, places: places)
    }

    func count(ofType type: String) throws -> Int {
        let view = try file.currentView()
        return view.types.number(of: type).map { view.index.count(ofType: $0) } ?? 0
    }

    private func forEachRecord(
        at places: ArraySlice<UInt64>, of list: EntryList,
        _ body: (EntryReader.Wanted, BytesInPlace, inout RecordReader) throws -> Void
    ) throws {
        try withReader(seed: list.seed) { reader in
            let wanted = zip(places, places.indices).map { EntryReader.Wanted(place: $0, number: $1) }
            try reader.forEachEntry(at: wanted, in: list.file) { try body($0, $1.body, &$2) }
        }
    }

    /// The number of records visited between two checks for cancellation: some milliseconds.
    private static let longestVisit = 16_384

    func visit(_ list: EntryList, with visitor: Lock<some BinaryRecordVisitor>) async throws {
        let look = { @Sendable (places: ArraySlice<UInt64>) in
            try visitor.withLock { visitor in
                try self.forEachRecord(at: places, of: list) { wanted, bytes, _ in
                    try visitor.visit(bytes, at: wanted.place)
                }
            }
        }
        if Self.isSmall(list.places) { return try look(list.places[...]) }
        for start in stride(from: 0, to: list.places.count, by: Self.longestVisit) {
            let places = list.places[start..<min(start + Self.longestVisit, list.places.count)]
            try await Reader.threads.run { try look(places) }
        }
    }

    func visit(ofType type: String?, with visitor: Lock<some BinaryRecordVisitor>) async throws {
        try await visit(entries(ofType: type), with: visitor)
    }

    /// The records of a page; if a query limits their size, those up to one that does not fit.
    func records(at places: [UInt64], of list: EntryList, for query: RecordQuery) async throws -> [Record] {
        guard let limit = query.byteLimit else { return try await records(at: places, of: list, query.readFields) }
        let pieceSize = max(limit, 1 << 20)
        var (found, bytes, rest) = ([Record](), PageBytes(query), places[...])
        while !rest.isEmpty {
            var size = 0
            let piece = rest.prefix { place in
                defer { size += EntryLocation.length(place) }
                return size < pieceSize
            }
            rest = rest[piece.endIndex...]
            for record in try await records(at: Array(piece), of: list, query.readFields) {
                found.append(record)
                if !bytes.add(record) { return found }
            }
        }
        return found
    }

    private func records(at places: [UInt64], of list: EntryList, _ fields: Set<String>?) async throws -> [Record] {
        let read = { @Sendable in
            let order = places.indices.sorted { places[$0] < places[$1] }
            var found: [Record?] = Array(repeating: nil, count: places.count)
            try self.forEachRecord(at: order.map { places[$0] }[...], of: list) { wanted, bytes, form in
                found[order[wanted.number]] = try form.record(from: bytes, fields: fields)
            }
            return found.compactMap { $0 }
        }
        return Self.isSmall(places) ? try read() : try await Reader.threads.run(read)
    }
}

struct EntryPages: AsyncIteratorProtocol {
    private let entries: @Sendable () async throws -> EntryList
    private var list: EntryList?
    private var position = 0

    /// The size of the entries of a page, in bytes, unless one of them is longer.
    private static let pageSize = 1 << 19

    /// - Parameter entries: Called when the first page is requested.
    init(_ entries: @escaping @Sendable () async throws -> EntryList) { self.entries = entries }

    mutating func next() async throws -> [Record]? {
        let list: EntryList
        if let known = self.list { list = known } else { list = try await entries() }
        self.list = list
        var size = 0
        let page = list.places[position...].prefix { place in
            defer { size += EntryLocation.length(place) }
            return size < Self.pageSize
        }
        if page.isEmpty { return nil }
        position = page.endIndex
        return try await Reader.threads.run {
            var reader = EntryReader(seed: list.seed)
            var records: [Record] = []
            records.reserveCapacity(page.count)
            try reader.forEachEntry(at: page.map { EntryReader.Wanted(place: $0, number: 0) }, in: list.file) {
                records.append(try $2.record(from: $1.body))
            }
            return records
        }
    }
}
