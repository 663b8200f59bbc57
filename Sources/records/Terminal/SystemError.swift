#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The number by which the system says why a call failed.
struct SystemError: Error, Equatable, CustomStringConvertible {
    let number: Int32

    /// The reason of the call that failed last on this thread.
    static var last: SystemError { SystemError(number: errno) }

    /// The system's words for it.
    var description: String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }
}

extension SystemError {
    /// The call was interrupted by a signal, and can be made again.
    static let interruptedCall = SystemError(number: EINTR)
}
