import Foundation

/// A value that one thread at a time may use; unlike the toolchain's `Mutex` it is known to the thread sanitizer.
///
/// Sendable, since the value is touched while the lock is held and at no other time.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
