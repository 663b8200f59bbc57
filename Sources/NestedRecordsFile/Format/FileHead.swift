@_spi(Engines) import NestedRecords

/// Everything before the blocks of a file: its header, which has a copy, and its state, which has two slots.
struct FileHead {
    let header: FileHeader
    var state: LogState
    /// The damaged parts, which can be restored from their copies, in the order of the file.
    let damaged: [(offset: Int, kind: FileRecordDatabase.Problem.Kind)]

    var seed: UInt64 { header.seed }

    /// - Throws: `RecordDatabaseError` if the header and its copy are damaged, or both states.
    init(of file: StorageFile) throws {
        let front = try file.bytes(FileHeader.batchesStart, at: 0)
        let copy = front.withUnsafeBytes { bytes in
            bytes.count < FileHeader.size
                ? nil : FileHeader(copy: UnsafeRawBufferPointer(rebasing: bytes[FileHeader.size...]))
        }
        var damaged: [(offset: Int, kind: FileRecordDatabase.Problem.Kind)] = []
        do {
            header = try front.withUnsafeBytes { try FileHeader($0, path: file.path) }
        } catch {
            guard let copy else { throw error }
            guard copy.version == FileHeader.version else {
                throw RecordDatabaseError(.unsupportedVersion, .version(Int(copy.version)), path: file.path)
            }
            header = copy
            damaged.append((0, .header))
        }
        guard front.count >= FileHeader.batchesStart else {
            throw file.damage(at: front.count, "the file is cut off")
        }
        if copy != header { damaged.append((FileHeader.size, .header)) }
        var states: [LogState] = []
        for offset in LogState.offsets {
            let state = front.withUnsafeBytes { [header] bytes in
                LogState(
                    UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + LogState.size)]), seed: header.seed)
            }
            if let state { states.append(state) } else { damaged.append((offset, .state)) }
        }
        guard let state = states.max(by: { $0.generation < $1.generation }) else {
            throw file.damage(at: LogState.offsets[0], "both states of the file")
        }
        self.state = state
        self.damaged = damaged.sorted { $0.offset < $1.offset }
    }

    static func write(_ header: FileHeader, states: [LogState], to file: StorageFile) throws {
        var bytes = [UInt8](repeating: 0, count: FileHeader.size)
        func put(_ part: [UInt8], at offset: Int) { bytes.replaceSubrange(offset..<(offset + part.count), with: part) }
        put(header.bytes, at: 0)
        for (offset, state) in zip(LogState.offsets, states) { put(state.bytes(seed: header.seed), at: offset) }
        try file.write(bytes + header.copy, at: 0)
    }

    mutating func repair(_ file: StorageFile, end: Int) throws {
        guard !damaged.isEmpty else { return }
        for part in damaged {
            switch part.offset {
            case 0: try Self.write(header, to: file)
            case FileHeader.size: try file.write(header.copy, at: FileHeader.size)
            case let offset:
                // The next generation that belongs there: the other slot must keep the only valid state until this one
                // is written.
                repeat { state.generation &+= 1 } while state.offset != offset
                state.durableEnd = UInt64(end)
                try file.write(state.bytes(seed: seed), at: offset)
            }
        }
        try file.sync()
    }

    private static func write(_ header: FileHeader, to file: StorageFile) throws {
        let bytes = header.bytes
        try file.write(bytes + [UInt8](repeating: 0, count: LogState.offsets[0] - bytes.count), at: 0)
    }
}
