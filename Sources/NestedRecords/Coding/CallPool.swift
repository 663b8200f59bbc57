/// Calls that have ended, with the frames that they have made.
///
/// Making frames, their containers and the coders of types takes longer than coding a few records: without this a school of
/// ten records takes more than twice as long. No state goes from call to call: whoever puts a call here has given it, its
/// frames and the coders of types a fresh one. A call of which user code may hold a part is not put here.
struct CallPool<Call: AnyObject>: Sendable {
    /// More calls than this run at once only where more threads do.
    private static var mostIdle: Int { 8 }

    /// A call on its way between two threads.
    ///
    /// It is Sendable because one thread at a time uses it: the thread that puts it here does not use it any more, and
    /// it leaves the pool when it is taken.
    private struct Idle: @unchecked Sendable {
        let call: Call
    }

    private let idle = Lock<[Idle]>([])

    func take() -> Call? { idle.withLock { $0.popLast() }?.call }

    func put(_ call: Call) {
        let call = Idle(call: call)
        // What does not find room is released outside of the lock.
        idle.withLock { if $0.count < Self.mostIdle { $0.append(call) } }
    }
}
