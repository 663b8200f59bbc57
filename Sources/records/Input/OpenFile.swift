import Foundation
import NestedRecords

/// A file that is open for reading, closed with its last reference.
///
/// Standard input and SQLite databases stay open until the process ends: when a process closes any descriptor of a
/// file, the system drops all its locks on that file, also the locks of SQLite.
final class OpenFile: Sendable {
    /// The name of standard input on a command line.
    static let standardInput = "-"

    let descriptor: Int32

    /// Bytes that were read before their turn.
    private let ahead = Lock([UInt8]())

    /// The name for errors.
    let name: String

    /// Whether the same bytes can be read again.
    let isRegular: Bool

    /// The engine whose databases begin like this regular file.
    let engine: Engine?

    /// Opens a file.
    ///
    /// - Parameter path: The path, or `-` for standard input.
    init(_ path: String) throws {
        name = Self.name(of: path)
        descriptor = path == Self.standardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError(input: path, reason: "cannot be opened: \(SystemError.last)") }
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        engine = isRegular ? Engine.ofFile(beginningWith: Self.firstBytes(16, of: descriptor)) : nil
    }

    deinit {
        if descriptor != STDIN_FILENO, engine?.hasLocksOfProcess != true { close(descriptor) }
    }

    /// The size of the regular file at a path: 0 if no file exists, nil if it is not a regular file.
    static func size(at path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// The path of a file; nil for standard input.
    static func path(_ word: String) -> String? { word == standardInput ? nil : word }

    /// The name of an input in errors.
    static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// The first bytes after the read position, up to the end of a line or a limit, which are read again later.
    func firstLine(atMost limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var block = [UInt8](repeating: 0, count: limit - bytes.count)
            let count = try block.withUnsafeMutableBytes { try read(into: $0) }
            bytes += block.prefix(count)
            if count == 0 || block.prefix(count).contains(0x0A) { break }
        }
        ahead.withLock { $0 = bytes + $0 }
        return bytes
    }

    /// Reads the next bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = ahead.withLock { ahead in
            let count = min(ahead.count, buffer.count)
            buffer.copyBytes(from: ahead[..<count])
            ahead.removeFirst(count)
            return count
        }
        return count > 0 ? count : try systemRead(descriptor, into: buffer)
    }

    /// The first bytes of a regular file, read without moving the read position; fewer if the file is shorter.
    private static func firstBytes(_ count: Int, of descriptor: Int32) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = pread(descriptor, &bytes, count, 0)
        return bytes.prefix(max(0, received))
    }

    /// Reads all bytes after the read position.
    func contents() throws -> [UInt8] {
        var bytes: [UInt8] = []
        // One byte more than the file has shows its end.
        bytes.reserveCapacity((size ?? 0) + 1)
        while true {
            let wanted = max(1 << 16, size.map { $0 - bytes.count + 1 } ?? bytes.count)
            let block = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                count = try read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if block.isEmpty { return bytes }
            if bytes.isEmpty { bytes = block } else { bytes += block }
        }
    }

    /// Goes back to the start of a regular file.
    func rewind() {
        guard isRegular else { return }
        ahead.withLock { $0 = [] }
        lseek(descriptor, 0, SEEK_SET)
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

extension OpenFile {
    /// All bytes of a file or of standard input; a text in UTF-16 or UTF-32 is converted to UTF-8.
    static func bytes(of path: String) throws -> [UInt8] {
        let file = try OpenFile(path)
        do {
            return try SourceText.utf8(try file.contents(), of: file.name)
        } catch let error as ReadError {
            throw InputError(input: file.name, reason: "\(error)")
        }
    }

    /// Throws unless a command may make a file with this name.
    static func checkIsNew(_ path: String) throws {
        var status = stat()
        if lstat(path, &status) == 0 { throw InputError(input: path, reason: "exists; name a new file") }
    }

    /// Writes a file, and replaces one with the name.
    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw InputError(input: path, reason: "cannot be written: \(SystemError.last)") }
        defer { close(descriptor) }
        if let error = systemWriteAll(text, to: descriptor) {
            throw InputError(input: path, reason: "cannot be written: \(error)")
        }
    }
}
