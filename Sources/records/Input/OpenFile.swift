#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is open for reading, closed when nobody holds it any more; standard input stays open.
final class OpenFile: Sendable {
    /// What stands for standard input on a command line.
    static let standardInput = "-"

    let descriptor: Int32

    /// The name for errors.
    let name: String

    /// Whether the same bytes can be read again.
    let isRegular: Bool

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
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// How errors call an input.
    static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// The first byte of a regular file, nil if it is empty; the place in the file stays.
    var firstByte: UInt8? {
        var byte: UInt8 = 0
        return isRegular && pread(descriptor, &byte, 1, 0) == 1 ? byte : nil
    }

    /// The number of bytes of a regular file, for progress.
    var size: Int? {
        var status = stat()
        return isRegular && fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }
}
