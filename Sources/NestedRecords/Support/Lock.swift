#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// A value that one thread at a time may use.
///
/// The toolchain's `Mutex` does the same, but the thread sanitizer does not see it on Linux and takes every use for a
/// race.
///
/// It is Sendable because the value and the system's lock are touched in `withLock` alone, and there by one thread at
/// a time: the lock stands at a fixed address from `init` to `deinit`, is held for the whole closure, and the value
/// never leaves it but by what the closure returns. Values go in as Sendable or are `sending`.
package final class Lock<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
