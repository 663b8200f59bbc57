#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The minimum of a durable save: 512 bytes at the end of a file, and a flush of the disk.
final class DiskFlush: Sendable {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_CREAT | O_RDWR | O_APPEND, 0o644)
        guard descriptor >= 0 else { throw SQLiteFailure(message: "\(path) cannot be opened") }
    }

    deinit { close(descriptor) }

    func run() throws {
        let bytes = [UInt8](repeating: 1, count: 512)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw SQLiteFailure(message: "cannot write") }
        try flush()
    }

    func flush() throws {
        #if canImport(Darwin)
        let code = fcntl(descriptor, F_FULLFSYNC)
        #else
        let code = fdatasync(descriptor)
        #endif
        guard code == 0 else { throw SQLiteFailure(message: "cannot flush the disk") }
    }
}
