#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A value that only one thread uses at a time.
///
/// The toolchain's `Mutex` does the same, but on Linux the thread sanitizer does not see it and reports every use as a
/// race, and it needs newer systems than the rest of the library.
///
/// It is Sendable because only these functions use the value and the system's lock, in one thread at a time: the lock
/// has a fixed address from `init` to `deinit`, is held for the whole closure, and the value leaves it only as the
/// closure's result. Values go in as Sendable or are `sending`.
package final class Lock<Value>: @unchecked Sendable {
    private let lock = SystemLock()

    // While the lock is held, no other code reaches the value. A closure must not take the lock that it holds.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: sending Value) { self.value = value }

    deinit { lock.destroy() }

    package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Calls the closure unless another thread holds the lock, without waiting; nil if it was not called.
    package func withLockIfFree<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result? {
        guard lock.tryLock() else { return nil }
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Lock {
    package func take<Wrapped>() -> sending Wrapped? where Value == Wrapped?, Wrapped: Sendable {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// Moves a value of a non-Sendable type from one thread to another.
///
/// Invariant: at each use, a comment says why no two threads use the value at the same time, or why the value never
/// changes.
struct Handover<Value>: @unchecked Sendable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    func take() -> sending Value {
        nonisolated(unsafe) let value = value
        return value
    }
}

private struct SystemLock {
    private let pointer = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        pointer.initialize(to: pthread_mutex_t())
        pthread_mutex_init(pointer, nil)
    }

    func lock() { pthread_mutex_lock(pointer) }

    func tryLock() -> Bool { pthread_mutex_trylock(pointer) == 0 }

    func unlock() { pthread_mutex_unlock(pointer) }

    func destroy() {
        pthread_mutex_destroy(pointer)
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
