@_spi(Engines) import NestedRecords

// A file that was opened only for reading is read as it is: each fetch, query and list begins by taking in the writes
// of another process.
//
// The invariant: new blocks are read after the last known block. If that block has changed or is gone, the whole file
// is read again: it was restored, or a batch was taken back that had been seen before it was durable. Its locations are
// invalid then, see `View.generation`.

final class Follower: Sendable {
    /// The properties of a file that can be seen without reading its batches.
    struct Look: Equatable, Sendable {
        let isCurrent: Bool
        let size: Int
        let head: [UInt8]
        let last: [UInt8]

        /// The bytes at the beginning of the next batch: the header of a long one is written last.
        let next: [UInt8]
    }

    let file: OpenFile

    /// The range after the last batch that was searched for a proof that it is damage.
    private let searchedTail = SerialState(0..<0, label: "following")

    /// The look at the file when everything was taken in, for checking whether there is more.
    private let followed = Lock<Look?>(nil)

    init(_ file: OpenFile) { self.file = file }

    /// Runs an operation on the writes of another process, and repeats it if they were overwritten during the
    /// operation.
    func following<Result>(_ body: () async throws -> Result) async throws -> Result {
        var attempts = 0
        while true {
            var before: Look?
            do {
                let look = try look()
                before = look
                // Most often nothing is new.
                if followed.withLock({ $0 != look }) { try await searchedTail.run { try self.follow(&$0) } }
                return try await body()
            } catch let failure as RecordDatabaseError where failure.code == .corrupt {
                // A write in progress may be seen in part, so that one more look is worth it.
                attempts += 1
                guard attempts < 3 || attempts < 100 && (try? look()) != before else { throw failure }
            }
        }
    }

    private func look() throws -> Look {
        let (file, end, last) = try self.file.withOpenView { ($0.file, $0.end, $0.lastBlock) }
        return Look(
            isCurrent: try file.isCurrent(), size: try file.size(),
            head: try file.bytes(FileHeader(seed: 0).bytes.count, at: 0),
            last: try last.map { try file.bytes(BlockHeader.size, at: $0.offset) } ?? [],
            next: try file.bytes(BlockHeader.size, at: end))
    }

    private func follow(_ searchedTail: inout Range<Int>) throws {
        followed.withLock { $0 = nil }
        let head = try file.withOpenView { $0.file }.bytes(FileHeader(seed: 0).bytes.count, at: 0)
        let size = try takeIn(&searchedTail)
        // Writes during this call are left for the next one.
        let look = try look()
        let (lastBlock, end, seed) = try file.withOpenView { ($0.lastBlock, $0.end, $0.seed) }
        let last = lastBlock.flatMap { block in
            look.last.withUnsafeBytes { BlockHeader($0, seed: seed, at: block.offset) }
        }
        let next = look.next.withUnsafeBytes { BlockHeader($0, seed: seed, at: end) }
        guard look.isCurrent, look.size == size, look.head == head, last == lastBlock?.header,
            next == nil || next?.kind == .announcement
        else { return }
        followed.withLock { $0 = look }
    }

    private func takeIn(_ searchedTail: inout Range<Int>) throws -> Int {
        let (file, part, end, lastBlock) = try file.withOpenView { ($0.file, $0.part, $0.end, $0.lastBlock) }
        guard try file.isCurrent() else {
            return try readAgain(try StorageFile.open(file.name, OpenFlags.reading, file.system))
        }
        let head = try FileHead(of: file)
        let size = try file.size()
        let isSame = try lastBlock.map { block in
            try file.bytes(BlockHeader.size, at: block.offset).withUnsafeBytes {
                BlockHeader($0, seed: part.seed, at: block.offset) == block.header
            }
        }
        guard head.seed == part.seed, size >= end, isSame ?? true else { return try readAgain(file) }
        guard size > end else { return size }
        // A long batch comes in pieces: each is searched once for a proof that it is damage.
        let searchedEnd = searchedTail.lowerBound == end ? searchedTail.upperBound : 0
        var replay = LogReplay(
            file: file, head: head, after: try self.file.currentView(), size: size, searchedEnd: searchedEnd)
        try replay.run()
        self.file.view.withLock { replay.give(to: &$0) }
        searchedTail = replay.end..<size
        return size
    }

    private func readAgain(_ file: StorageFile) throws -> Int {
        var (_, size, replay) = try LogReplay.read(file, isAlone: false)
        self.file.view.withLock { view in
            let (generation, isOpen, recoveredByteCount) = (view.generation + 1, view.isOpen, view.recoveredByteCount)
            view = replay.view(of: file)
            (view.generation, view.isOpen, view.recoveredByteCount) = (generation, isOpen, recoveredByteCount)
        }
        return size
    }
}

// MARK: Waiting

extension Follower {
    /// The pauses between looks at the file: longer and longer while nothing changes.
    private static let pauses = (first: Duration.milliseconds(5), longest: Duration.milliseconds(100))

    /// Waits until a condition that depends on the writes of another process no longer holds.
    func wait(while isTrue: () async throws -> Bool) async throws {
        var pause = Self.pauses.first
        var known: Look?
        while true {
            let ringCount = file.doorbell.ringCount
            // Before the condition is checked, so that later changes are noticed.
            let look = try await searchedTail.run { _ in try self.look() }
            if look != known {
                guard try await isTrue() else { return }
                (known, pause) = (look, Self.pauses.first)
            }
            try await file.doorbell.wait(after: ringCount, atMost: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }
}
