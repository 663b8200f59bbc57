import NestedRecords

/// The newest versions of some records of a file at one time.
struct EntryList: Sendable {
    let file: StorageFile
    let seed: UInt64

    /// Behind the last batch.
    let end: Int

    /// In the order of the file.
    let places: [UInt64]

    /// The type of the records, where those of other types may be among them.
    let type: String?
}

extension LogStore {
    /// The entries of all records, or of those of a type.
    func entries(ofType type: String?) throws -> EntryList {
        let view = try currentView()
        guard let type else {
            return EntryList(file: view.file, seed: view.seed, end: view.end, places: view.index.places(), type: nil)
        }
        let number = view.types.number(of: type)
        return EntryList(
            file: view.file, seed: view.seed, end: view.end,
            places: number.map { view.index.places(ofType: $0) } ?? [],
            // Beyond the others all types share a number.
            type: number.map(Int.init) == TypeTable.mostNumbers ? type : nil)
    }

    /// Calls the closure with the bytes of records, which are read together where they are neighbours.
    func forEachRecord(
        at places: ArraySlice<UInt64>, of list: EntryList,
        _ body: (EntryReader.Wanted, UnsafeRawBufferPointer, inout RecordReader) throws -> Void
    ) throws {
        try withReader(seed: list.seed) { reader in
            let wanted = zip(places, places.indices).map { EntryReader.Wanted(place: $0, number: $1) }
            try reader.forEachEntry(at: wanted, in: list.file) { wanted, entry, form in
                if let type = list.type, try !RecordReader.isType(type, of: entry.body) { return }
                try body(wanted, entry.body, &form)
            }
        }
    }

    /// How many records are looked at before a task can be cancelled: some milliseconds.
    private static let longestVisit = 16_384

    /// Has all records of a list looked at, in other threads unless they are few.
    func visit(_ list: EntryList, with visitor: Lock<some BinaryRecordVisitor>) async throws {
        let look = { @Sendable (places: ArraySlice<UInt64>) in
            try visitor.withLock { visitor in
                try self.forEachRecord(at: places, of: list) { wanted, bytes, _ in
                    try visitor.visit(bytes, at: wanted.place)
                }
            }
        }
        guard Self.isSmall(list.places) else {
            for places in list.places.pieces(of: Self.longestVisit) {
                try await FetchQueues.shared.run { try look(places) }
            }
            return
        }
        try look(list.places[...])
    }

    /// The records at some of the places of a list, in the order of these places.
    func records(at places: [UInt64], of list: EntryList) async throws -> [Record] {
        let read = { @Sendable in
            let order = places.indices.sorted { places[$0] < places[$1] }
            var found: [Record?] = Array(repeating: nil, count: places.count)
            try self.forEachRecord(at: order.map { places[$0] }[...], of: list) { wanted, bytes, form in
                found[order[wanted.number]] = try form.record(from: bytes)
            }
            return found.compactMap { $0 }
        }
        return Self.isSmall(places) ? try read() : try await FetchQueues.shared.run(read)
    }
}

extension Array {
    /// The elements in pieces of at most a size.
    fileprivate func pieces(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
