import NestedRecords

/// An open record file, and what its readers see.
final class OpenFile: Sendable {
    /// Readers take it as it is, and go on with it while others write.
    struct View: Sendable {
        var file: StorageFile
        var index: FileIndex
        var types: TypeTable

        /// The bytes that a compaction keeps: the newest versions of all records, and what was copied with them.
        var liveBytes: Int

        /// The size of the saved index, which no compaction gives back.
        var indexSize: Int

        /// Behind the last batch.
        var end: Int

        /// Grows whenever the file is read again from its beginning, because another process has replaced it or its contents.
        var generation = 0

        /// The last block that was read when the file was opened or followed.
        var lastBlock: BlockCursor.Block?

        /// The file that keeps what was cut off this one.
        var recoveredPath: String?

        var isOpen = true

        /// The seed of the file, which changes with each compaction.
        var seed: UInt64 { types.seed }

        /// What places in the file belong to: they mean nothing after it has changed.
        var part: Part { Part(seed: seed, generation: generation) }

        /// How many bytes a compaction would give back.
        var unusedBytes: Int { end - FileHeader.batchesStart - liveBytes - indexSize }
    }

    /// What the blocks of a file belong to, until they are read again.
    struct Part: Equatable {
        let seed: UInt64
        let generation: Int
    }

    let name: FilePath
    let options: FileRecordDatabase.Options
    let system: FileSystem

    /// The process that has opened the file, and holds its lock.
    private let process: Int

    let view: Lock<View>

    /// Rings when something was written, and when the file is closed.
    let doorbell = Doorbell()

    var path: String { name.given }

    init(name: FilePath, options: FileRecordDatabase.Options, view: sending View) {
        (self.name, self.options, system) = (name, options, view.file.system)
        process = system.processID()
        self.view = Lock(view)
    }

    /// What readers use, whatever is written meanwhile.
    func currentView() throws -> View { try withOpenView { $0 } }

    /// Calls the closure with what readers see, unless the file is closed.
    ///
    /// Who needs a part of the index only does not copy the view: a write copies an index that is held.
    func withOpenView<Result>(_ body: (inout View) throws -> sending Result) throws -> sending Result {
        try view.withLock { view in
            guard view.isOpen else { throw RecordDatabaseError(.closed, path: path) }
            return try body(&view)
        }
    }

    /// Whether this is the process that has opened the file, and not one forked off it.
    var isOwnProcess: Bool { system.processID() == process }

    /// Makes sure that this is the process that has opened the file: a forked one has it open too, and the same lock.
    func checkIsOwnProcess() throws {
        guard isOwnProcess else { throw RecordDatabaseError(.locked, path: path) }
    }

    /// Makes sure that the path still leads to the file: otherwise what is saved to it could not be found again.
    func checkIsCurrent(_ file: StorageFile) throws {
        guard try file.isCurrent() else { throw RecordDatabaseError(.fileReplaced, path: path) }
    }
}
