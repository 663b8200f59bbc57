/// Calls that have ended, with the frames and the coders of types that they have made.
///
/// Making frames, their containers and the coders of types takes longer than coding a few records: without this a school of
/// ten records takes more than twice as long. No value goes from call to call: a call, its frames and the coders of types
/// get a fresh state before they are put here. What they know of a type stays, since it is constant: what the type says of
/// its records, the order of its fields (``FieldOrders``), where they are (``SlotTables``). A call of which user code may
/// hold a part is not put here.
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
