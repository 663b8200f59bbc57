import NestedRecords

/// Reads records of a file in its order; other threads read the pieces.
struct RecordScan: AsyncIteratorProtocol {
    private let source: EntrySource
    private let places: [UInt64]
    private var position = 0
    private var window: BufferedReader
    private var form = RecordReader()

    init(_ source: EntrySource, _ places: [UInt64]) {
        (self.source, self.places) = (source, places)
        window = BufferedReader(file: source.file, end: source.end)
    }

    mutating func next() async throws -> Record? {
        while position < places.count {
            let place = places[position]
            let offset = EntryLocation.offset(place)
            var length = EntryLocation.length(place)
            if length == EntryLocation.longestLength || !window.holds(length, at: offset) {
                // Moved and not copied, with its megabyte.
                let unique = Lock<BufferedReader?>(window)
                window = BufferedReader(file: source.file, end: source.end)
                (window, length) = try await Reader.threads.run { [empty = window, length, end = source.end] in
                    var window = unique.take() ?? empty
                    // The longest entries have their length in their header.
                    let found = try window.entryLength(at: offset, end: end) ?? length
                    try window.withBytes(found, at: offset) { _ in }
                    return (window, found)
                }
            }
            position += 1
            let (seed, path) = (source.seed, source.file.path)
            let record = try window.withBytes(length, at: offset) { bytes in
                try EntryReader.withEntry(bytes, seed: seed, at: offset, path: path) { try form.record(from: $0.body) }
            }
            if source.type == nil || record.id.type == source.type { return record }
        }
        return nil
    }
}
