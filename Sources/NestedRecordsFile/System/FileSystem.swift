@_spi(Engines) import NestedRecords

#if canImport(Darwin)
package import Darwin
#elseif canImport(Glibc)
package import Glibc
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The calls of the operating system that the file database makes; tests can let each of them fail.
///
/// Every call returns the result of the system call, or the negative of `errno`.
package struct FileSystem: Sendable {
    /// Opens a file; never inherited by other programs, and never as a standard stream.
    ///
    /// A new file gets these permissions, limited by the program's mask.
    package var open: @Sendable (_ path: String, _ flags: Int32, _ permissions: FilePermissions) -> Int = {
        path, flags, permissions in
        aboveStandardStreams(systemOpen(path, flags | O_CLOEXEC, permissions))
    }

    package var close: @Sendable (_ descriptor: Int32) -> Void = { systemClose($0) }

    package var read: @Sendable (_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int = {
        result(pread($0, $1.baseAddress, $1.count, off_t($2)))
    }

    package var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int = {
        result(pwrite($0, $1.baseAddress, $1.count, off_t($2)))
    }

    package var sync: @Sendable (_ descriptor: Int32) -> Int = { descriptor in
        #if canImport(Darwin)
        return fullSync(descriptor)
        #else
        return result(Int(fdatasync(descriptor)))
        #endif
    }

    package var truncate: @Sendable (_ descriptor: Int32, _ size: Int) -> Int = {
        result(Int(ftruncate($0, off_t($1))))
    }

    package var size: @Sendable (_ descriptor: Int32) -> Int = { descriptor in
        var status = stat()
        let code = fstat(descriptor, &status)
        return code == 0 ? Int(status.st_size) : result(Int(code))
    }

    package var status: @Sendable (_ descriptor: Int32, _ status: inout FileStatus) -> Int = { descriptor, status in
        var found = stat()
        let code = fstat(descriptor, &found)
        if code == 0 { status = FileStatus(found) }
        return result(Int(code))
    }

    package var setOwner: @Sendable (_ descriptor: Int32, _ owner: uid_t, _ group: gid_t) -> Int = {
        result(Int(fchown($0, $1, $2)))
    }

    package var setPermissions: @Sendable (_ descriptor: Int32, _ permissions: FilePermissions) -> Int = {
        result(Int(fchmod($0, $1)))
    }

    package var copyExtendedAttributes: @Sendable (_ source: Int32, _ target: Int32) -> Int = {
        ExtendedAttributes.copy(from: $0, to: $1)
    }

    /// Locks a file for its writer, also against other openings in the same process; fails at once with
    /// `EWOULDBLOCK` if it is locked.
    package var lock: @Sendable (_ descriptor: Int32) -> Int = { result(Int(flock($0, LOCK_EX | LOCK_NB))) }

    package var unlock: @Sendable (_ descriptor: Int32) -> Int = { result(Int(flock($0, LOCK_UN))) }

    /// Checks whether a path is the name of an open file, and not a link to it: 1 if it is, 0 if something else has the
    /// name.
    package var isSame: @Sendable (_ descriptor: Int32, _ path: String) -> Int = { descriptor, path in
        var (open, named) = (stat(), stat())
        guard fstat(descriptor, &open) == 0, lstat(path, &named) == 0 else { return result(-1) }
        return open.st_dev == named.st_dev && open.st_ino == named.st_ino ? 1 : 0
    }

    package var resolve: @Sendable (_ path: String, _ resolved: inout String) -> Int = { path, resolved in
        guard let bytes = realpath(path, nil) else { return result(-1) }
        defer { free(bytes) }
        guard let text = String(validatingCString: bytes) else { return -Int(EILSEQ) }
        resolved = text
        return 0
    }

    /// Checks whether another file can take the name of an open file in a folder, as far as that is known beforehand:
    /// 0, or the negative of the error.
    package var checkReplacement: @Sendable (_ descriptor: Int32, _ folder: String) -> Int = { descriptor, folder in
        var (file, parent) = (stat(), stat())
        guard fstat(descriptor, &file) == 0, stat(folder, &parent) == 0 else { return 0 }
        if access(folder, W_OK | X_OK) != 0 { return result(-1) }
        // It is a separate mount.
        if file.st_dev != parent.st_dev { return -Int(EBUSY) }
        // The other file cannot get its owner, or in a sticky folder its name.
        return [0, file.st_uid].contains(geteuid()) ? 0 : -Int(EPERM)
    }

    package var rename: @Sendable (_ old: String, _ new: String) -> Int = { result(Int(systemRename($0, $1))) }

    /// Gives a file another name unless that name exists.
    package var link: @Sendable (_ old: String, _ new: String) -> Int = { result(Int(systemLink($0, $1))) }

    /// Makes a folder, limited by the program's mask.
    package var makeFolder: @Sendable (_ path: String, _ permissions: FilePermissions) -> Int = {
        result(Int(mkdir($0, $1)))
    }

    package var remove: @Sendable (_ path: String) -> Int = { result(Int(unlink($0))) }

    /// Adds the names of the files and folders in a folder.
    package var list: @Sendable (_ folder: String, _ names: inout [String]) -> Int = { folder, names in
        do {
            names += try FileManager.default.contentsOfDirectory(atPath: folder)
            return 0
        } catch let error as CocoaError {
            let code = (error.underlying as? POSIXError)?.code.rawValue
            return -Int(code ?? (error.code == .fileReadNoSuchFile ? ENOENT : EIO))
        } catch {
            return -Int(EIO)
        }
    }

    package var syncFolder: @Sendable (_ path: String) -> Int = { path in
        let code = aboveStandardStreams(systemOpen(path, O_RDONLY | O_CLOEXEC, 0))
        if -code == Int(EACCES) {
            // A folder that may be written but not listed cannot be opened, so all files of the system are synced.
            systemSync()
            return 0
        }
        guard code >= 0 else { return code }
        let descriptor = Int32(truncatingIfNeeded: code)
        defer { systemClose(descriptor) }
        #if canImport(Darwin)
        return fullSync(descriptor)
        #else
        return result(Int(fsync(descriptor)))
        #endif
    }

    package init() {}

    /// If a standard stream is closed, the system gives its number to the next file, and output to the stream goes into the
    /// file.
    static func aboveStandardStreams(_ descriptor: Int32, lowest: Int32 = 3) -> Int {
        guard descriptor >= 0, descriptor < lowest else { return result(Int(descriptor)) }
        let moved = result(Int(fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)))
        systemClose(descriptor)
        return moved
    }

    #if canImport(Darwin)
    /// Plain `fsync` leaves the data in the drive's own memory there.
    private static func fullSync(_ descriptor: Int32) -> Int {
        FullSync.run {
            result(Int(fcntl(descriptor, F_FULLFSYNC)))
        } plain: {
            result(Int(fsync(descriptor)))
        }
    }
    #endif

    private static func result(_ code: Int) -> Int { code >= 0 ? code : -Int(errno) }
}

// Inside a type with members of these names the functions are not found.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
private func systemSync() { sync() }
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
private func systemLink(_ old: String, _ new: String) -> Int32 { link(old, new) }

package struct FileStatus: Sendable, Equatable {
    package var isRegular = true
    package var linkCount = 1
    package var owner: uid_t
    package var group: gid_t
    package var permissions: FilePermissions

    package init(owner: uid_t = 0, group: gid_t = 0, permissions: FilePermissions = 0) {
        (self.owner, self.group, self.permissions) = (owner, group, permissions)
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        self.init(owner: status.st_uid, group: status.st_gid, permissions: status.st_mode & 0o7777)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        linkCount = Int(status.st_nlink)
    }
}

enum SystemErrorCode {
    static let interrupted = Int(EINTR)
    static let exists = Int(EEXIST)
    static let missing = Int(ENOENT)

    /// The file to write is a folder, or a socket or a device without a reader.
    static let noFile: Set<Int> = [Int(EISDIR), Int(ENXIO)]
    static let locked = Int(EWOULDBLOCK)
    static let full: Set<Int> = [Int(ENOSPC), Int(EDQUOT), Int(EFBIG)]

    /// A separate mount, a folder that may not be written, or a name that is too long.
    static let noReplacement: Set<Int> = [
        Int(EACCES), Int(EPERM), Int(EROFS), Int(EBUSY), Int(EXDEV), Int(ENAMETOOLONG), Int(ENOTSUP),
    ]
    static let unsupported: Set<Int> = [Int(EINVAL), Int(ENOTSUP), Int(EPERM), Int(ENOSYS)]

    static func text(_ code: Int) -> String { systemErrorText(Int32(truncatingIfNeeded: code)) }
}

package typealias FilePermissions = mode_t

/// The flags for opening files: opening a pipe or a device must not block.
enum OpenFlags {
    static let reading = O_RDONLY | O_NONBLOCK
    static let writing = O_RDWR | O_NONBLOCK
    static let creating = O_RDWR | O_CREAT | O_EXCL

    /// The leftover of an earlier program is never a link.
    static let leftovers = writing | O_NOFOLLOW
}
