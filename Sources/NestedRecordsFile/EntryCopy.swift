import NestedRecords

/// Copies the entries of records from one file to another.
struct EntryCopy {
    private let source: CompactedFile.Source
    private let file: StorageFile
    private var window: BufferedReader
    private var lengths: EntryReader
    private var position = 0

    private(set) var index = FileIndex()

    /// Of those types that there are records of.
    private(set) var types: TypeTable

    private(set) var liveBytes = 0
    private(set) var end: Int

    init(from source: CompactedFile.Source, to file: StorageFile, seed: UInt64, at start: Int) {
        (self.source, self.file, end) = (source, file, start)
        types = TypeTable(seed: seed)
        window = BufferedReader(file: source.file, end: source.end)
        lengths = EntryReader(seed: source.types.seed)
    }

    /// Copies entries of about so many bytes as one batch.
    ///
    /// - Returns: Whether there were any left.
    mutating func addBatch(of size: Int) throws -> Bool {
        let (places, old, seed) = (source.places, source.file, source.types.seed)
        guard position < places.count else { return false }
        var output = BlockOutput(file: file, seed: types.seed, at: end)
        while position < places.count, output.end - end < size {
            let place = places[position]
            let offset = EntryLocation.offset(place)
            let length = try lengths.length(of: place, in: old)
            try window.withBytes(length, at: offset) { bytes in
                try EntryReader.withEntry(bytes, seed: seed, at: offset, path: old.path) { entry in
                    let key = types.makeKey(of: try RecordReader.id(from: entry.body))
                    index.insert(key, at: try output.append(entry))
                }
            }
            liveBytes += length
            position += 1
        }
        // The order of the numbers in the new file is that of the records, all below the next one.
        try output.finish(sequence: 0, durableEnd: end)
        end = output.end
        return true
    }
}
