/// Calls that have ended, with the frames that they have made.
///
/// Making frames and their containers takes as long as coding a few records, so small calls live from it. Nothing but
/// memory goes from call to call: whoever puts a call here has given it and each of its frames a fresh state. A call of
/// which user code may hold a part is not put here.
struct CallPool<Call: AnyObject>: Sendable {
    /// More calls than this run at once only where more threads do.
    private static var mostIdle: Int { 8 }

    /// One thread at a time uses a call: the thread that puts it here does not use it any more, and it leaves the pool
    /// when it is taken.
    private let idle = Lock<[Handover<Call>]>([])

    func take() -> Call? { idle.withLock { $0.popLast() }?.take() }

    func put(_ call: Call) {
        let call = Handover(call)
        // What does not find room is released outside of the lock.
        idle.withLock { if $0.count < Self.mostIdle { $0.append(call) } }
    }
}
