#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The block of batches that is being put together.
struct LogBlock {
    let file: StorageFile

    /// Where the block begins.
    let start: Int

    private(set) var sequence: UInt64

    /// Why the block cannot be written, if so.
    private(set) var failure: (any Error)?

    private let firstSequence: UInt64
    private let view: Lock<LogStore.View>
    private var types: TypeNumbers
    private var output: BlockOutput
    private var reader: EntryReader

    /// What becomes of a record: its place before, 0 for none, and its new one, 0 for none.
    private var changes: [(key: UInt64, old: UInt64, new: UInt64)] = []

    /// How many more bytes the newest versions of all records have.
    private var liveBytes = 0

    /// The records of batches before in the same block, nil for deleted ones; without such batches nothing is noted.
    private var written: [Record.ID: (place: UInt64, record: Record?)]?
    private var lengths: [UInt64: Int] = [:]

    init(_ store: LogStore, sequence: UInt64, hasSeveralBatches: Bool) {
        view = store.view
        self.sequence = sequence
        firstSequence = sequence
        (file, start, types) = view.withLock { ($0.file, $0.end, $0.types) }
        output = BlockOutput(file: file, seed: store.seed, at: start)
        reader = EntryReader(seed: store.seed)
        if hasSeveralBatches { written = [:] }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Adds a batch, all of it or nothing.
    ///
    /// - Returns: The new metadata of the saved records.
    mutating func append(_ batch: WaitingBatch, now: Date) throws -> [Record.ID: Record.Metadata] {
        var saves: [(version: Record, key: UInt64, old: UInt64)] = []
        saves.reserveCapacity(batch.records.count)
        var tag = sequence
        for record in batch.records {
            let key = types.makeKey(of: record.id)
            let stored = try stored(record.id, key)
            tag += 1
            saves.append((try version(of: record, stored, batch.savePolicy, tag, now), key, stored?.place ?? 0))
        }
        var deletions: [(id: Record.ID, key: UInt64, old: UInt64)] = []
        for id in batch.ids {
            guard let key = types.key(of: id), let stored = try stored(id, key) else { continue }
            deletions.append((id, key, stored.place))
        }
        var metadata: [Record.ID: Record.Metadata] = [:]
        metadata.reserveCapacity(saves.count)
        do {
            for (version, key, old) in saves {
                let place = try output.append(LogEntry.save) { RecordWriter.append(version, to: &$0) }
                try note(key, old, place)
                metadata[version.id] = version.metadata
                written?[version.id] = (place, version)
            }
            for (id, key, old) in deletions {
                _ = try output.append(LogEntry.delete) { RecordWriter.append(id, to: &$0) }
                try note(key, old, 0)
                written?[id] = (0, nil)
            }
        } catch {
            failure = error
            throw error
        }
        sequence += UInt64(saves.count + deletions.count)
        return metadata
    }

    private mutating func note(_ key: UInt64, _ old: UInt64, _ new: UInt64) throws {
        changes.append((key, old, new))
        if new != 0 { liveBytes += output.lastLength }
        // What stands in this block is not in the file yet.
        if old != 0 { liveBytes -= try lengths[old] ?? reader.length(of: old, in: file) }
        if written != nil, new != 0 { lengths[new] = output.lastLength }
    }

    private func version(
        of record: Record, _ stored: Stored?, _ policy: SavePolicy, _ tag: UInt64, _ now: Date
    ) throws -> Record {
        do {
            return try policy.version(
                of: record, replacing: stored?.stub, changeTag: String(tag, radix: 36), date: now)
        } catch RecordDatabaseError.conflict(let client, let stub) {
            var reader = reader
            guard let stored, stored.record == nil else {
                throw RecordDatabaseError.conflict(client: client, server: stub)
            }
            let server = try reader.read(stored.place, in: file) { entry, form in try form.record(entry.body) }
            throw RecordDatabaseError.conflict(client: client, server: server)
        }
    }

    /// What is there of a record.
    private struct Stored {
        let place: UInt64

        /// The record without its fields.
        let stub: Record

        /// The record, where it stands in this block.
        let record: Record?
    }

    private mutating func stored(_ id: Record.ID, _ key: UInt64) throws -> Stored? {
        if let (place, record) = written?[id] { return record.map { Stored(place: place, stub: $0, record: $0) } }
        var places: [UInt64] = []
        view.withLock { view in view.index.forEachPlace(of: key) { places.append($0) } }
        for place in places {
            let stub = try reader.read(place, in: file) { entry, _ -> Record? in
                guard try RecordReader.hasID(id, entry.body) else { return nil }
                return Record(id: id, checkedFields: [:], metadata: try RecordReader.metadata(of: entry.body))
            }
            if let stub { return Stored(place: place, stub: stub, record: nil) }
        }
        return nil
    }

    mutating func finish(durableEnd: Int) throws {
        try output.finish(sequence: firstSequence, durableEnd: durableEnd)
    }

    /// Shows readers what was written.
    func apply(to view: inout LogStore.View) {
        view.types = types
        view.end = output.end
        view.liveBytes += liveBytes
        for (key, old, new) in changes {
            switch (old, new) {
            case (0, _): view.index.insert(key, at: new)
            case (_, 0): view.index.remove(key, at: old)
            default: view.index.move(key, from: old, to: new)
            }
        }
    }
}
