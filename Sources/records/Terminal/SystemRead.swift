import Foundation
import NestedRecordsFile

/// Reads bytes like `read(2)`, and waits for them if the stream is non-blocking.
///
/// - Returns: The number of bytes; 0 at the end.
func systemRead(_ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
        let received = read(descriptor, bytes.baseAddress, bytes.count)
        if received >= 0 { return received }
        let code = errno
        switch code {
        case EINTR: continue
        // The stream is empty and non-blocking; another process that has it open may have set that.
        case EAGAIN:
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, -1)
        default: throw ReadError(code: code)
        }
    }
}

/// An error of reading a file.
struct ReadError: Error, Hashable, CustomStringConvertible {
    /// The error number of the system.
    let code: Int32

    /// The reason, as the system describes it.
    var description: String { "cannot read: \(systemErrorText(code))" }
}
