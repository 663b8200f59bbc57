#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads bytes as `read(2)` does, and waits for them where the stream does not.
///
/// - Parameters:
///   - descriptor: An open file.
///   - bytes: Where to put them.
/// - Returns: How many were read, 0 at the end.
/// - Throws: ``ReadError``.
func systemRead(_ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
        let received = read(descriptor, bytes.baseAddress, bytes.count)
        if received >= 0 { return received }
        let code = errno
        switch code {
        case EINTR: continue
        // The stream does not block, and is empty: another process that has it open may have set it so.
        case EAGAIN:
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, -1)
        default: throw ReadError(code: code)
        }
    }
}

/// Why a file could not be read.
struct ReadError: Error, Hashable, CustomStringConvertible {
    /// The system's number for the reason.
    let code: Int32

    /// The reason in the system's words.
    var description: String { "cannot read: \(String(cString: strerror(code)))" }
}
