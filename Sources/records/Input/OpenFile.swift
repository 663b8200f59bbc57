#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file that is open for reading, closed with its last reference.
///
/// Standard input and SQLite databases stay open until the process ends: when a process closes any descriptor of a
/// file, the system drops all its locks on that file, also the locks of SQLite.
final class OpenFile: Sendable {
    /// The name of standard input on a command line.
    static let standardInput = "-"

    let descriptor: Int32

    /// The name for errors.
    let name: String

    /// Whether the same bytes can be read again.
    let isRegular: Bool

    /// Whether this is a regular file with the header of SQLite.
    let isSQLite: Bool

    /// Opens a file.
    ///
    /// - Parameter path: The path, or `-` for standard input.
    /// - Throws: ``InputError``.
    init(_ path: String) throws {
        name = Self.name(of: path)
        descriptor = path == Self.standardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError(input: path, reason: "cannot be opened: \(SystemError.last)") }
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        isSQLite = isRegular && Self.firstBytes(16, of: descriptor).elementsEqual("SQLite format 3\0".utf8)
    }

    deinit {
        if descriptor != STDIN_FILENO, !isSQLite { close(descriptor) }
    }

    /// The size of the regular file at a path: 0 if no file exists, nil if it is not a regular file.
    static func size(at path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// The name of an input in errors.
    static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// The first byte of a regular file, read without moving the read position; nil if the file is empty.
    var firstByte: UInt8? { isRegular ? Self.firstBytes(1, of: descriptor).first : nil }

    /// The first bytes of a regular file, read without moving the read position; fewer if the file is shorter.
    private static func firstBytes(_ count: Int, of descriptor: Int32) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = pread(descriptor, &bytes, count, 0)
        return bytes.prefix(max(0, received))
    }

    /// Reads all bytes after the read position.
    ///
    /// - Throws: ``ReadError``.
    func contents() throws -> Data {
        var bytes = Data()
        while true {
            let wanted = max(1 << 16, size.map { $0 - bytes.count + 1 } ?? bytes.count)
            let start = bytes.count
            bytes.count += wanted
            let received = try bytes.withUnsafeMutableBytes {
                try systemRead(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
            }
            bytes.count = start + received
            if received == 0 { return bytes }
        }
    }

    /// Goes back to the start of a regular file.
    func rewind() {
        if isRegular { lseek(descriptor, 0, SEEK_SET) }
    }

    /// The fraction of a regular file that was read, 0 to 1.
    var partRead: Double? {
        guard let size, size > 0 else { return nil }
        return Double(lseek(descriptor, 0, SEEK_CUR)) / Double(size)
    }

    /// The size of a regular file in bytes.
    var size: Int? {
        var status = stat()
        return isRegular && fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }
}
