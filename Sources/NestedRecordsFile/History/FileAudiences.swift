@_spi(Engines) import NestedRecords

/// The audiences of a file, read from its log: each version of a record has the values that it had.
///
/// A compaction drops former versions, so it keeps what follows from them: departures, and when members were added to their
/// containers. The declarations are records of the file; they are looked up first, since records may be older than they are.
struct FileAudiences {
    let part: OpenFile.Part
    let wholeTypes: Set<String>
    private(set) var kept: KeptAudiences
    private(set) var history: FileHistory

    /// The positions of the declarations.
    private var declared: [String: UInt64] = [:]

    private var end = FileHeader.batchesStart

    init(
        _ part: OpenFile.Part, declarations: [Record], wholeTypes: Set<String> = [], maximumDepartureCount: Int
    ) {
        (self.part, self.wholeTypes, history) = (part, wholeTypes, FileHistory(part))
        kept = KeptAudiences(maximumDepartureCount: maximumDepartureCount)
        for record in declarations {
            guard let position = record.metadata.flatMap({ UInt64($0.changeTag, radix: 36) }) else { continue }
            declared[record.id.name] = position
            kept.declare(RecordAudience(record), ofType: record.id.name, at: position, over: EmptyCollection<Record>())
        }
        for type in wholeTypes { kept.follow(type, at: 0, over: EmptyCollection<Record>()) }
    }

    /// The position of the last change.
    var position: UInt64 { history.position }

    private struct Change {
        let id: Record.ID

        /// Nil for a deletion.
        let record: Record?
    }

    /// Reads the log up to an offset.
    ///
    /// - Returns: Whether the declarations are still those that were looked up.
    mutating func extend(to end: Int, of file: StorageFile) throws -> Bool {
        guard end > self.end else { return true }
        let isFirst = self.end == FileHeader.batchesStart
        var cursor = BlockCursor(file, seed: part.seed, self.end..<end, .fail)
        var form = RecordReader()
        // The changes of a batch have the position of its last one: a page has all of them or none.
        var (batch, last) = ([Change](), UInt64(0))
        var isOutdated = false
        while let block = try cursor.next() {
            if block.header.kind == .audiences {
                note(batch, at: last)
                batch = []
                guard let restored = try Kept(file, part.seed, block) else {
                    throw file.damage(at: block.offset, "the audiences of the file")
                }
                kept.restore(
                    restored.departures, restored.members, purgedNumber: restored.purgedPosition)
            }
            guard block.isBatch else { continue }
            try cursor.forEachEntry(of: block) { entry in
                if entry.beginsBatch {
                    note(batch, at: last)
                    batch = []
                }
                try entry.read { content in
                    guard let position = try entry.position(content) else {
                        throw file.damage(at: entry.offset, "the change tag of a record")
                    }
                    last = position
                    let id = try RecordReader.id(from: content.body)
                    if id.isAudience, !isFirst, position > declared[id.name] ?? 0 { isOutdated = true }
                    guard kept.keeps(id.type) else { return }
                    let record = try content.kind.isDeletion ? nil : form.record(from: content.body)
                    batch.append(Change(id: id, record: record))
                }
                return true
            }
        }
        note(batch, at: last)
        try history.extend(to: end, of: file)
        self.end = end
        return !isOutdated
    }

    private mutating func note(_ batch: [Change], at position: UInt64) {
        for change in batch {
            if let record = change.record {
                kept.save(record, at: position)
            } else {
                kept.delete(change.id, at: position)
            }
        }
    }
}

extension Reader {
    /// The records that declare audiences.
    func declarations() throws -> [Record] {
        let list = try entries(ofType: RecordAudience.recordType)
        var reader = EntryReader(seed: list.seed)
        var records: [Record] = []
        try reader.forEachEntry(at: list.places.map { EntryReader.Wanted(place: $0, number: 0) }, in: list.file) {
            records.append(try $2.record(from: $1.body))
        }
        return records
    }
}

// MARK: Compaction

extension FileAudiences {
    /// What a compaction keeps.
    struct Kept {
        var purgedPosition: UInt64 = 0
        var departures: [(key: AudienceKey, departure: AudienceIndex.Departure)] = []
        var members: [(id: Record.ID, key: AudienceKey, added: UInt64)] = []

        private enum Kind: UInt8 {
            case departure, deletion, member
        }

        /// Everything up to an offset of a file; nil without a declaration.
        ///
        /// - Parameter sequence: The next sequence number: if the log is damaged, the changes before it are unknown.
        init?(
            of file: StorageFile, seed: UInt64, until end: Int, sequence: UInt64, declarations: [Record],
            maximumDepartureCount: Int
        ) throws {
            if declarations.isEmpty { return nil }
            do {
                var audiences = FileAudiences(
                    OpenFile.Part(seed: seed, generation: 0), declarations: declarations,
                    maximumDepartureCount: maximumDepartureCount)
                _ = try audiences.extend(to: end, of: file)
                purgedPosition = audiences.kept.index.purgedNumber
                departures = audiences.kept.index.allDepartures
                members = audiences.kept.members.sorted { ($0.id, $0.added) < ($1.id, $1.added) }
            } catch RecordDatabaseError.Code.corrupt {
                purgedPosition = sequence
            }
        }

        func write(to file: StorageFile, seed: UInt64, at offset: Int) throws -> Int {
            var bytes: [UInt8] = []
            bytes.append(fixed: purgedPosition)
            func append(_ kind: Kind, _ number: UInt64, _ key: AudienceKey, _ id: Record.ID) {
                bytes.append(kind.rawValue)
                bytes.append(fixed: number)
                for part in [key.bytes, Array(id.description.utf8)] {
                    bytes.append(fixed: UInt16(truncatingIfNeeded: part.count))
                    bytes += part
                }
            }
            for (key, departure) in departures {
                append(departure.isDeletion ? .deletion : .departure, departure.number, key, departure.id)
            }
            for member in members { append(.member, member.added, member.key, member.id) }
            let head = BlockHeader(
                .audiences, count: departures.count + members.count, byteCount: bytes.count, sequence: 0,
                digest: bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) }, durableEnd: offset)
            try file.write(head.bytes(seed: seed, at: offset) + bytes, at: offset)
            return BlockHeader.size + bytes.count
        }

        /// Reads a block; nil if it is damaged.
        init?(_ file: StorageFile, _ seed: UInt64, _ block: BlockCursor.Block) throws {
            let (header, offset) = (block.header, block.contents.lowerBound)
            var window = BufferedReader(file: file, end: block.contents.upperBound)
            let bytes = try window.withBytes(Int(header.byteCount), at: offset) { bytes -> [UInt8]? in
                XXH64.hash(bytes, seed: seed) == header.digest ? Array(bytes) : nil
            }
            guard var rest = bytes?[...] else { return nil }
            func take(_ count: Int) -> ArraySlice<UInt8>? {
                guard count <= rest.count else { return nil }
                defer { rest = rest.dropFirst(count) }
                return rest.prefix(count)
            }
            func number(_ count: Int) -> UInt64? {
                take(count).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            }
            func part() -> [UInt8]? { number(2).flatMap { take(Int($0)) }.map { Array($0) } }
            guard let purged = number(8) else { return nil }
            purgedPosition = purged
            for _ in 0..<header.count {
                guard let kind = take(1)?.first.flatMap(Kind.init), let number = number(8), let key = part(),
                    let text = part().flatMap({ String(validUTF8: $0) }), let id = try? Record.ID(text)
                else { return nil }
                let audience = AudienceKey(bytes: key)
                if kind == .member {
                    members.append((id, audience, number))
                } else {
                    departures.append(
                        (audience, AudienceIndex.Departure(id: id, number: number, isDeletion: kind == .deletion)))
                }
            }
            if !rest.isEmpty { return nil }
        }
    }
}
