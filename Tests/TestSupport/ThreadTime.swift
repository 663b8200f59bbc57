import Foundation

/// The time that the processor spends on the closure in this thread: unlike the time on a clock it does not depend on
/// what else the machine does.
package func threadTime(_ body: () throws -> Void) rethrows -> Duration {
    // As raw numbers: several modules of the system declare the parts of the structure, and the compiler takes now
    // the one, now the other for their home.
    func now() -> Duration {
        let time = UnsafeMutablePointer<timespec>.allocate(capacity: 1)
        defer { time.deallocate() }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, time)
        let parts = UnsafeRawPointer(time)
        return .seconds(parts.load(as: Int.self))
            + .nanoseconds(parts.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self))
    }
    let start = now()
    try body()
    return now() - start
}
