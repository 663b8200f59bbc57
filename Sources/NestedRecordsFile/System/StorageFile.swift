@_spi(Engines) import NestedRecords

/// An open file, closed with its last reference: readers keep theirs when another file takes its name.
final class StorageFile: Sendable {
    let name: FilePath
    let system: FileSystem
    private let handle: Handle

    var path: String { name.given }

    var descriptor: Int32 { handle.descriptor }

    private final class Handle: Sendable {
        let descriptor: Int32
        let system: FileSystem

        init(descriptor: Int32, system: FileSystem) {
            self.descriptor = descriptor
            self.system = system
        }

        deinit {
            // Closing alone leaves the lock to a process that is being started, which has the descriptor for a moment.
            _ = system.unlock(descriptor)
            system.close(descriptor)
        }
    }

    private init(descriptor: Int32, name: FilePath, system: FileSystem) {
        handle = Handle(descriptor: descriptor, system: system)
        self.name = name
        self.system = system
    }

    init(taking file: StorageFile, name: FilePath) {
        handle = file.handle
        self.name = name
        system = file.system
    }

    /// - Throws: `RecordDatabaseError.notARecordDatabase` for a folder, a pipe and anything else that is not a file.
    static func open(
        _ name: FilePath, _ flags: Int32, permissions: FilePermissions = 0o600, _ system: FileSystem
    ) throws -> StorageFile {
        let code: Int
        do {
            code = try retrying("open", name.given) { system.open(name.resolved, flags, permissions) }
        } catch let error as RecordDatabaseError where SystemErrorCode.noFile.contains(where: error.isSystemError) {
            throw RecordDatabaseError(.notARecordDatabase, path: name.given)
        }
        let file = StorageFile(descriptor: Int32(truncatingIfNeeded: code), name: name, system: system)
        guard try file.status().isRegular else { throw RecordDatabaseError(.notARecordDatabase, path: name.given) }
        return file
    }

    @discardableResult
    static func retrying(_ operation: String, _ path: String, _ call: () -> Int) throws -> Int {
        while true {
            let code = call()
            if code >= 0 { return code }
            if -code == SystemErrorCode.interrupted { continue }
            throw error(operation, path, -code)
        }
    }

    static func error(_ operation: String, _ path: String, _ code: Int) -> RecordDatabaseError {
        SystemErrorCode.full.contains(code)
            ? RecordDatabaseError(.diskFull, .system(operation: operation), path: path)
            : .inputOutput(path: path, operation: operation, errno: code)
    }

    func damage(at offset: Int, _ what: String) -> RecordDatabaseError {
        RecordDatabaseError(.corrupt, .offset(offset), reason: what, path: path)
    }

    /// Returns the number of bytes read, fewer than requested only at the end of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = try Self.retrying("read", path) { system.read(descriptor, rest, offset + done) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
        return found == count ? bytes : Array(bytes[..<found])
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = try Self.retrying("write", path) { system.write(descriptor, rest, offset + done) }
            // A system that writes nothing and reports no error would be called forever.
            if count == 0 { throw RecordDatabaseError(.diskFull, .system(operation: "write"), path: path) }
            done += count
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    func sync() throws { try Self.retrying("sync", path) { system.sync(descriptor) } }

    func truncate(to size: Int) throws { try Self.retrying("truncate", path) { system.truncate(descriptor, size) } }

    func size() throws -> Int { try Self.retrying("look at", path) { system.size(descriptor) } }

    func status() throws -> FileStatus {
        var status = FileStatus()
        try Self.retrying("look at", path) { system.status(descriptor, &status) }
        return status
    }

    func lock() throws {
        do {
            try Self.retrying("lock", path) { system.lock(descriptor) }
        } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.locked) {
            throw RecordDatabaseError(.locked, path: path)
        }
    }

    /// Closing releases the lock too, but readers may still hold the file.
    func unlock() { _ = system.unlock(descriptor) }

    func isCurrent() throws -> Bool {
        try Self.retrying("look at", path) {
            let code = system.isSame(descriptor, name.resolved)
            return -code == SystemErrorCode.missing ? 0 : code
        } == 1
    }

    /// The permissions are set last: until then the file has those of a side file, and its access control list.
    func takeAttributes(of file: StorageFile) throws {
        let (wanted, present) = (try file.status(), try status())
        if (wanted.owner, wanted.group) != (present.owner, present.group) {
            try Self.retrying("keep the owner of", file.path) {
                system.setOwner(descriptor, wanted.owner, wanted.group)
            }
        }
        try Self.retrying("keep the extended attributes of", file.path) {
            system.copyExtendedAttributes(file.descriptor, descriptor)
        }
        // Some disks have the same permissions for all files, and refuse to set any.
        guard try status().permissions != wanted.permissions else { return }
        try Self.retrying("keep the permissions of", file.path) {
            system.setPermissions(descriptor, wanted.permissions)
        }
    }
}
