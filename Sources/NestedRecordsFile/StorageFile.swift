import NestedRecords

/// An open file, closed when nobody holds it any more: so readers keep theirs while another one takes its name.
final class StorageFile: Sendable {
    let path: String
    let system: FileSystem
    private let handle: Handle

    var descriptor: Int32 { handle.descriptor }

    /// What is closed.
    private final class Handle: Sendable {
        let descriptor: Int32
        let system: FileSystem

        init(descriptor: Int32, system: FileSystem) {
            self.descriptor = descriptor
            self.system = system
        }

        deinit { system.close(descriptor) }
    }

    init(descriptor: Int32, path: String, system: FileSystem) {
        handle = Handle(descriptor: descriptor, system: system)
        self.path = path
        self.system = system
    }

    /// The same open file under a new name.
    init(taking file: StorageFile, path: String) {
        handle = file.handle
        self.path = path
        system = file.system
    }

    /// Opens a file.
    ///
    /// - Throws: ``FileRecordDatabaseError/notARecordFile(path:)`` for a folder, a pipe and whatever else is no file.
    static func open(_ path: String, _ flags: Int32, _ system: FileSystem) throws -> StorageFile {
        let code: Int
        do {
            code = try retrying("open", path) { system.open(path, flags) }
        } catch FileRecordDatabaseError.inputOutput(_, _, let code) where ErrorCode.noFile.contains(Int(code)) {
            throw FileRecordDatabaseError.notARecordFile(path: path)
        }
        let file = StorageFile(descriptor: Int32(truncatingIfNeeded: code), path: path, system: system)
        let isRegular = try retrying("look at", path) { system.isRegular(file.descriptor) } == 1
        guard isRegular else { throw FileRecordDatabaseError.notARecordFile(path: path) }
        return file
    }

    /// Calls the system until it is not interrupted.
    @discardableResult
    static func retrying(_ operation: String, _ path: String, _ call: () -> Int) throws -> Int {
        while true {
            let code = call()
            if code >= 0 { return code }
            if -code == ErrorCode.interrupted { continue }
            throw error(operation, path, -code)
        }
    }

    static func error(_ operation: String, _ path: String, _ code: Int) -> FileRecordDatabaseError {
        ErrorCode.full.contains(code)
            ? .diskFull(path: path, operation: operation)
            : .inputOutput(path: path, operation: operation, errno: Int32(truncatingIfNeeded: code))
    }

    /// Reads bytes.
    ///
    /// - Returns: How many there are, fewer than asked for only at the end of the file.
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

    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = try Self.retrying("write", path) { system.write(descriptor, rest, offset + done) }
            // A system that writes nothing and tells of no error would be asked for ever.
            if count == 0 { throw FileRecordDatabaseError.diskFull(path: path, operation: "write") }
            done += count
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    func sync() throws { try Self.retrying("sync", path) { system.sync(descriptor) } }

    func truncate(to size: Int) throws { try Self.retrying("truncate", path) { system.truncate(descriptor, size) } }

    func size() throws -> Int { try Self.retrying("look at", path) { system.size(descriptor) } }

    /// Locks the file for one writer.
    func lock() throws {
        do {
            try Self.retrying("lock", path) { system.lock(descriptor) }
        } catch FileRecordDatabaseError.inputOutput(_, _, let code) where Int(code) == ErrorCode.locked {
            throw FileRecordDatabaseError.locked(path: path)
        }
    }

    /// Lets another one write.
    ///
    /// Closing the file does so too, but readers may still hold it.
    func unlock() { _ = system.unlock(descriptor) }

    /// Whether the path still leads to this file.
    func isCurrent() throws -> Bool {
        try Self.retrying("look at", path) {
            let code = system.isSame(descriptor, path)
            return -code == ErrorCode.missing ? 0 : code
        } == 1
    }
}
