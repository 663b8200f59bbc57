@_spi(Engines) import NestedRecords

final class OpenFile: Sendable {
    /// An immutable snapshot that readers keep using while others write.
    struct View: Sendable {
        var file: StorageFile
        var index: FileIndex
        var types: TypeTable

        /// The bytes that a compaction keeps: the newest versions of all records, and the data copied with them.
        var liveBytes: Int

        /// The size of the saved index, which no compaction reclaims.
        var indexSize: Int
        var end: Int

        /// Grows with each batch of this process that changes other records than those that the library keeps for itself.
        var newsCount = 0

        /// Grows whenever the file is read again from its beginning, because another process has replaced it or its contents.
        var generation = 0

        var lastBlock: BlockCursor.Block?
        var recoveredByteCount = 0
        var recoveredPath: String?
        var isOpen = true
        var seed: UInt64 { types.seed }

        var part: Part { Part(seed: seed, generation: generation) }
        var unusedBytes: Int { end - FileHeader.batchesStart - liveBytes - indexSize }
    }

    /// Identifies the blocks of a file, until they are read again.
    struct Part: Equatable {
        let seed: UInt64
        let generation: Int
    }

    let name: FilePath
    let options: FileRecordDatabase.Options
    let system: FileSystem
    let view: Lock<View>
    let doorbell = Doorbell()

    /// The batches whose referrers are sought; each notes what is written during the search.
    let searches = Lock<[ReferrerSearch]>([])

    var path: String { name.given }

    init(name: FilePath, options: FileRecordDatabase.Options, view: sending View) {
        (self.name, self.options, system) = (name, options, view.file.system)
        self.view = Lock(view)
    }

    func currentView() throws -> View { try withOpenView { $0 } }

    /// Calls the closure with the view of readers, unless the file is closed.
    ///
    /// A caller that needs only a part of the index does not copy the view: a write copies an index that is held.
    func withOpenView<Result>(_ body: (inout View) throws -> sending Result) throws -> sending Result {
        try view.withLock { view in
            guard view.isOpen else { throw RecordDatabaseError(.closed, path: path) }
            return try body(&view)
        }
    }

    /// Checks that the path still leads to the file: otherwise saved records could not be found again.
    func checkIsCurrent(_ file: StorageFile) throws {
        guard try file.isCurrent() else { throw RecordDatabaseError(.fileReplaced, path: path) }
    }
}
