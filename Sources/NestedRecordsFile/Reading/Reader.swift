@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

final class Reader: Sendable {
    let file: OpenFile

    /// Threads for work that takes longer than a thread switch.
    static let threads = LeastBusy(
        (0..<ProcessInfo.processInfo.activeProcessorCount).map {
            BlockingQueue(label: "NestedRecords.FileRecordDatabase.read\($0)")
        })

    private let idle = Lock<[EntryReader]>([])

    init(_ file: OpenFile) { self.file = file }

    /// The limits for reading in the thread of the task: less work than a thread switch is worth.
    private static let smallFetch = (records: 32, bytes: 64 << 10)

    static func isSmall(_ places: [UInt64]) -> Bool {
        places.count <= smallFetch.records
            && places.reduce(0) { $0 + EntryLocation.length($1) } <= smallFetch.bytes
    }

    private struct Places {
        let file: StorageFile
        let seed: UInt64
        var entries: [EntryReader.Wanted] = []
        var byteCount = 0
        var isSorted = true
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        if ids.count <= Self.smallFetch.records {
            let places = try places(of: ids)
            if places.byteCount <= Self.smallFetch.bytes { return try records(ids, at: places) }
        }
        return try await Reader.threads.run { try self.records(ids, at: self.places(of: ids)) }
    }

    private func places(of ids: [Record.ID]) throws -> Places {
        try file.withOpenView { view in
            var places = Places(file: view.file, seed: view.seed)
            places.entries.reserveCapacity(ids.count)
            var last: UInt64 = 0
            for number in 0..<ids.count {
                guard let key = view.types.key(of: ids[number]) else { continue }
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
            // An ID that is given twice has one location.
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

    func contains(_ id: Record.ID) throws -> Bool {
        let places = try places(of: [id])
        var isThere = false
        try withReader(seed: places.seed) { reader in
            for wanted in places.entries where !isThere {
                isThere = try reader.read(wanted.place, in: places.file) { entry, _ in
                    try RecordReader.hasID(id, in: entry.body)
                }
            }
        }
        return isThere
    }

    /// Calls the closure with a reader that knows the field names of earlier reads.
    func withReader(seed: UInt64, _ body: (inout EntryReader) throws -> Void) throws {
        var reader = idle.withLock { $0.popLast() } ?? EntryReader(seed: seed)
        reader.seed = seed
        defer {
            reader.shrink()
            idle.withLock { if $0.count < 16 { $0.append(reader) } }
        }
        try body(&reader)
    }
}
