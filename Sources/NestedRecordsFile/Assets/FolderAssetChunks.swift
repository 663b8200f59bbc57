@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The bytes of assets in a folder beside the record file, one file an upload: in the record file itself, a compaction would
/// copy them.
///
/// The file of an upload is made once, before it is written, and removed once. Nothing else makes or renames a file, so a
/// path that is missing stays missing.
struct FolderAssetChunks: AssetChunks {
    static let suffix = ".assets"
    private static let (folderPermissions, filePermissions): (FilePermissions, FilePermissions) = (0o755, 0o644)

    private let folder: FilePath
    private let parent: String
    private let system: FileSystem

    /// Makes the records that were saved survive a loss of power, also without `RecordDurability.full`: otherwise the record
    /// of an upload could be lost that has a file, or the record of a content could come back whose file was removed.
    private let saveRecords: @Sendable () async throws -> Void

    init(beside store: LogStore) {
        let file = store.file.name
        (folder, parent) = (file.adding(Self.suffix), file.folder)
        system = store.file.view.withLock { $0.file.system }
        saveRecords = { try await store.committer.sync() }
    }

    /// Makes chunks that are only read.
    init(beside file: FilePath, _ system: FileSystem) {
        (folder, parent, self.system) = (file.adding(Self.suffix), file.folder, system)
        saveRecords = {}
    }

    /// One of 256 folders, since some systems are slow with many files in one.
    private func subfolder(of upload: String) -> FilePath { folder.adding("/" + upload.prefix(2)) }

    private func path(of upload: String) -> FilePath { subfolder(of: upload).adding("/" + upload) }

    private func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
        try await Reader.threads.run(body)
    }

    /// Opens the file of an upload; nil if it does not exist.
    private func open(_ upload: String, _ flags: Int32) throws -> StorageFile? {
        do {
            return try StorageFile.open(path(of: upload), flags, system)
        } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.missing) {
            return nil
        }
    }

    func begin(_ upload: String) async throws {
        try await saveRecords()
        try await run {
            try makeFolder(folder)
            try makeFolder(subfolder(of: upload))
            _ = try StorageFile.open(
                path(of: upload), OpenFlags.creating, permissions: Self.filePermissions, system)
        }
    }

    private func makeFolder(_ folder: FilePath) throws {
        try StorageFile.retrying("create", folder.given) {
            let code = system.makeFolder(folder.resolved, Self.folderPermissions)
            return -code == SystemErrorCode.exists ? 0 : code
        }
    }

    func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool {
        try await run {
            guard let file = try open(upload, OpenFlags.writing), try file.size() >= Int(offset) else { return false }
            try file.write(Array(bytes), at: Int(offset))
            return true
        }
    }

    func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data? {
        try await run { try open(upload, OpenFlags.reading).map { Data(try $0.bytes(count, at: Int(offset))) } }
    }

    func size(of upload: String) async throws -> Int64? {
        try await run { try open(upload, OpenFlags.reading).map { Int64(try $0.size()) } }
    }

    func synchronize(_ upload: String) async throws {
        try await run {
            try open(upload, OpenFlags.writing)?.sync()
            for folder in [subfolder(of: upload).resolved, folder.resolved, parent] { try sync(folder) }
        }
    }

    func remove(_ upload: String) async throws {
        try await saveRecords()
        try await run {
            let path = path(of: upload)
            try StorageFile.retrying("remove", path.given) {
                let code = system.remove(path.resolved)
                return -code == SystemErrorCode.missing ? 0 : code
            }
            // The record of the upload goes next: a file that came back after a loss of power would stay forever.
            do {
                try sync(subfolder(of: upload).resolved)
            } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.missing) {
                // The folder was not made yet.
            }
        }
    }

    func uploads() async throws -> [String] {
        try await run { try names(in: folder).flatMap { try names(in: folder.adding("/" + $0)) } }
    }

    /// The names in a folder that an upload or its subfolder may have: other programs leave files in folders.
    private func names(in folder: FilePath) throws -> [String] {
        var names: [String] = []
        do {
            try StorageFile.retrying("list", folder.given) { system.list(folder.resolved, &names) }
        } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.missing) {
            return []
        }
        return names.filter { name in
            [2, 32].contains(name.utf8.count)
                && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    private func sync(_ folder: String) throws {
        try StorageFile.retrying("sync", folder) { system.syncFolder(folder) }
    }
}
