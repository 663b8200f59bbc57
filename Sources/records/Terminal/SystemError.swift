import Foundation
import NestedRecordsFile

/// The error number of a failed system call.
struct SystemError: Error, Equatable, CustomStringConvertible {
    let number: Int32

    /// The error of the last failed call on this thread.
    static var last: SystemError { SystemError(number: errno) }

    /// The system's description of the error.
    var description: String { systemErrorText(number) }

    /// The call was interrupted by a signal, and can be repeated.
    static let interruptedCall = SystemError(number: EINTR)
}
