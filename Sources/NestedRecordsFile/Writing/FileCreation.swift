@_spi(Engines) import NestedRecords

enum FileCreation {
    static let suffix = ".nested-records-creating"
    private static let permissions: FilePermissions = 0o644

    /// Creates an empty file: complete from the first moment on, or not at all.
    static func create(_ name: FilePath, _ system: FileSystem) throws {
        let path = name.given
        guard let file = try openNew(name, system) else { return }
        // The lock is held until the name is removed: it shows that the creator is still running.
        defer {
            _ = system.remove(file.name.resolved)
            file.unlock()
        }
        try writeHead(to: file)
        try file.sync()
        var code = 0
        try StorageFile.retrying("create", path) {
            code = system.link(file.name.resolved, name.resolved)
            // Other results are checked below.
            return -code == SystemErrorCode.interrupted ? code : 0
        }
        if SystemErrorCode.unsupported.contains(-code) {
            try createInPlace(name, system)
        } else if code < 0, -code != SystemErrorCode.exists {
            throw StorageFile.error("create", path, -code)
        }
    }

    private static func writeHead(to file: StorageFile) throws {
        let state = LogState(durableEnd: UInt64(FileHeader.batchesStart))
        try FileHead.write(FileHeader(seed: .random(in: .min ... .max)), states: [state, state], to: file)
    }

    /// Opens a new file under the temporary name, and locks it.
    ///
    /// - Returns: The file; nil if the leftover of a killed creator had to be removed first, and everything has to be tried
    /// again.
    private static func openNew(_ name: FilePath, _ system: FileSystem) throws -> StorageFile? {
        let (path, temporary) = (name.given, name.adding(suffix))
        let isNew: Bool
        let file: StorageFile
        do {
            file = try StorageFile.open(
                temporary, OpenFlags.creating, permissions: permissions, system)
            isNew = true
        } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.exists) {
            do {
                file = try StorageFile.open(temporary, OpenFlags.leftovers, system)
            } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.missing) {
                return nil
            }
            isNew = false
        } catch let error as RecordDatabaseError where error.code == .inputOutput {
            // The caller does not know the temporary name.
            throw RecordDatabaseError(.inputOutput, error.detail, reason: error.reason, path: path)
        }
        do {
            try file.lock()
        } catch RecordDatabaseError.Code.locked {
            throw RecordDatabaseError(.locked, path: path)
        }
        // Between opening and locking, another process may have removed it as a leftover, or may have finished it.
        guard try file.isCurrent() else { return nil }
        if isNew { return file }
        // A running creator would hold the lock. A file with records, or of another kind, is not removed.
        guard try isUnfinished(file) else {
            throw RecordDatabaseError.inputOutput(
                path: temporary.given, operation: "create", errno: SystemErrorCode.exists)
        }
        _ = system.remove(temporary.resolved)
        file.unlock()
        return nil
    }

    /// Whether a file can be the leftover of a creator: an empty record file, the beginning of one, or zeros because
    /// the power was lost before the data reached the disk.
    private static func isUnfinished(_ file: StorageFile) throws -> Bool {
        guard try file.size() <= FileHeader.batchesStart else { return false }
        let bytes = try file.bytes(FileHeader.magic.count, at: 0)
        return FileHeader.magic.starts(with: bytes) || bytes.allSatisfy { $0 == 0 }
    }

    /// Removes the temporary name, which remains if the creator is killed after it gave the file its final name.
    static func removeName(of file: StorageFile) {
        let temporary = file.name.adding(suffix).resolved
        if file.system.isSame(file.descriptor, temporary) == 1 { _ = file.system.remove(temporary) }
    }

    /// Creates an empty file in place, if a complete file cannot be renamed: a crash may leave half of it.
    private static func createInPlace(_ name: FilePath, _ system: FileSystem) throws {
        let file: StorageFile
        do {
            file = try StorageFile.open(name, OpenFlags.creating, permissions: permissions, system)
        } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.exists) {
            return
        }
        try file.lock()
        do {
            try writeHead(to: file)
            try file.sync()
        } catch {
            // Half of a header would block the name for a later attempt.
            if (try? file.isCurrent()) == true { _ = system.remove(file.name.resolved) }
            throw error
        }
    }
}
