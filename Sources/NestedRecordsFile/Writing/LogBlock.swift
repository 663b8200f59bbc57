@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct LogBlock: ~Copyable {
    let file: StorageFile
    let start: Int
    private(set) var sequence: UInt64
    private(set) var failure: (any Error)?

    /// Whether other records have changed than those that the library keeps for itself.
    private var hasNews = false
    private let firstSequence: UInt64
    private let view: Lock<OpenFile.View>
    private var types: TypeTable
    private var output: BlockOutput
    private var reader: EntryReader
    private var changes: [IndexChange] = []

    /// The records of earlier batches in the same block, nil for deleted ones; noted only if there are such batches.
    private var written: [Record.ID: (place: UInt64, record: Record?)]?
    private var lengths: [UInt64: Int] = [:]

    init(_ file: OpenFile, sequence: UInt64, hasSeveralBatches: Bool) {
        view = file.view
        self.sequence = sequence
        firstSequence = sequence
        (self.file, start, types) = view.withLock { ($0.file, $0.end, $0.types) }
        output = BlockOutput(file: self.file, seed: types.seed, at: start, announces: file.options.durability == .full)
        reader = EntryReader(seed: types.seed)
        if hasSeveralBatches { written = [:] }
    }

    var isEmpty: Bool { changes.isEmpty }

    var hasWritten: Bool { output.hasWritten }

    mutating func append(_ batch: RecordBatch, now: Date) throws -> [Record.ID: Record.Metadata] {
        try check(batch.deletions.filter { $0.version != .any })
        try check(batch.conditions)
        var saves: [(metadata: Record.Metadata, key: UInt64, old: UInt64)] = []
        saves.reserveCapacity(batch.saves.count)
        var metadata: [Record.ID: Record.Metadata] = [:]
        metadata.reserveCapacity(batch.saves.count)
        var tag = sequence
        // By position: taking a record out of the array would copy ten references.
        for position in batch.saves.indices {
            let id = batch.saves[position].id
            let key = try types.makeKey(of: id)
            let stored = try stored(id, key)
            tag &+= 1
            let saved = try self.metadata(of: batch.saves[position], stored, batch.savePolicy, tag, now)
            guard metadata.updateValue(saved, forKey: id) == nil else {
                throw RecordDatabaseError(.duplicateID, recordID: id)
            }
            saves.append((saved, key, stored?.place ?? 0))
        }
        let deletions = try deletions(batch.deletions.map(\.id), besides: metadata)
        let mark = output.mark
        let changeCount = changes.count
        do {
            for (position, (saved, key, old)) in saves.enumerated() {
                let (place, length) = try output.append(batch.saves[position], metadata: saved)
                try note(key, from: old, to: place, length: length)
            }
            for (id, key, old) in deletions {
                try output.append(deletionOf: id)
                try note(key, from: old, to: 0, length: 0)
            }
        } catch {
            // A record that cannot be written fails its own batch; a refusal of the disk fails all.
            output.rollBack(to: mark)
            rollBack(from: changeCount)
            if output.isBroken { failure = error }
            throw error
        }
        if written != nil {
            for (position, (saved, _, _)) in saves.enumerated() {
                let version = batch.saves[position].saved(as: saved)
                written?[version.id] = (changes[changeCount + position].new, version)
            }
            for (id, _, _) in deletions { written?[id] = (0, nil) }
        }
        sequence &+= UInt64(saves.count + deletions.count)
        if batch.changesRecordsOfCallers { hasNews = true }
        return metadata
    }

    private mutating func deletions(
        _ ids: [Record.ID], besides saved: [Record.ID: Record.Metadata]
    ) throws -> [(id: Record.ID, key: UInt64, old: UInt64)] {
        var met: Set<Record.ID> = []
        return try ids.compactMap { id in
            guard saved[id] == nil, met.insert(id).inserted else {
                throw RecordDatabaseError(.duplicateID, recordID: id)
            }
            return try present(id).map { (id, $0.key, $0.stored.place) }
        }
    }

    private mutating func present(_ id: Record.ID) throws -> (key: UInt64, stored: Stored)? {
        guard let key = types.key(of: id), let stored = try stored(id, key) else { return nil }
        return (key, stored)
    }

    private mutating func check(_ id: Record.ID, _ version: RecordBatch.Version) throws {
        let found = try present(id)?.stored
        do {
            try version.check(id, stored: found?.stub)
        } catch {
            guard let found else { throw error }
            throw RecordDatabaseError(
                .versionMismatch, .versions(server: try record(found), expected: version), recordID: id)
        }
    }

    /// Checks the versions of many records, of which neighbours in the file are read together.
    private mutating func check(_ conditions: [RecordBatch.VersionedID]) throws {
        var wanted: [EntryReader.Wanted] = []
        wanted.reserveCapacity(conditions.count)
        let (types, written) = (types, written)
        view.withLock { view in
            for number in conditions.indices {
                if let written, written[conditions[number].id] != nil { continue }
                guard let key = types.key(of: conditions[number].id) else { continue }
                view.index.forEachPlace(of: key) { wanted.append(EntryReader.Wanted(place: $0, number: number)) }
            }
        }
        wanted.sort { $0.place < $1.place }
        var isMet = [Bool](repeating: false, count: conditions.count)
        try reader.forEachEntry(at: wanted, in: file) { wanted, entry, _ in
            let number = wanted.number
            guard !isMet[number], try RecordReader.hasID(conditions[number].id, in: entry.body) else { return }
            let tag = try RecordReader.metadata(of: entry.body)?.changeTag
            isMet[number] = conditions[number].version.isMet(by: tag.map { .changeTag($0) } ?? .missing)
        }
        // Records that are missing or in an earlier batch of the block; the error has the whole record.
        for number in conditions.indices where !isMet[number] {
            try check(conditions[number].id, conditions[number].version)
        }
    }

    /// Checks the condition `RecordBatch.allowedReferrers`, also against earlier batches of the same block.
    mutating func check(_ batch: RecordBatch, _ search: ReferrerSearch) throws {
        var check = search.current
        for (id, entry) in written ?? [:] {
            if let record = entry.record { check.note(record) } else { check.note(deletionOf: id) }
        }
        var present: Set<Record.ID> = []
        for id in check.targets where try self.present(id) != nil { present.insert(id) }
        try check.check(batch, exists: present.contains)
    }

    private mutating func note(_ key: UInt64, from old: UInt64, to new: UInt64, length: Int) throws {
        // The contents of this block are not in the file yet.
        let oldLength = old == 0 ? 0 : try lengths[old] ?? reader.length(of: old, in: file)
        if written != nil, new != 0 { lengths[new] = length }
        changes.append(IndexChange(key: key, old: old, new: new, liveBytes: length - oldLength))
    }

    private mutating func rollBack(from count: Int) {
        for change in changes[count...] { lengths[change.new] = nil }
        changes.removeLast(changes.count - count)
    }

    private func metadata(
        of record: Record, _ stored: Stored?, _ policy: SavePolicy, _ tag: UInt64, _ now: Date
    ) throws -> Record.Metadata {
        do {
            return try policy.metadata(
                of: record, replacing: stored?.stub, changeTag: String(tag, radix: 36), date: now)
        } catch let error as RecordDatabaseError where error.code == .conflict {
            guard let stored else { throw error }
            throw RecordDatabaseError(.conflict, .versions(client: record, server: try self.record(stored)))
        }
    }

    private struct Stored {
        let place: UInt64
        let stub: Record
        let record: Record?
    }

    private func record(_ stored: Stored) throws -> Record {
        if let record = stored.record { return record }
        var reader = reader
        return try reader.read(stored.place, in: file) { entry, form in try form.record(from: entry.body) }
    }

    private mutating func stored(_ id: Record.ID, _ key: UInt64) throws -> Stored? {
        if let (place, record) = written?[id] { return record.map { Stored(place: place, stub: $0, record: $0) } }
        var places: [UInt64] = []
        view.withLock { $0.index.forEachPlace(of: key) { places.append($0) } }
        for place in places {
            let stub = try reader.read(place, in: file) { entry, _ -> Record? in
                guard try RecordReader.hasID(id, in: entry.body) else { return nil }
                return Record(id: id, checkedFields: [:], metadata: try RecordReader.metadata(of: entry.body))
            }
            if let stub { return Stored(place: place, stub: stub, record: nil) }
        }
        return nil
    }

    mutating func finish(durableEnd: Int) throws {
        try output.finish(sequence: firstSequence, durableEnd: durableEnd)
    }

    func apply(to view: inout OpenFile.View) {
        (view.types, view.end) = (types, output.end)
        if hasNews { view.newsCount += 1 }
        for change in changes {
            view.liveBytes += change.liveBytes
            view.index.apply(change)
        }
    }
}
