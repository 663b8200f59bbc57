/// Finished calls with their frames and the coders of types, ready for reuse.
///
/// Making frames, their containers and the coders of types takes longer than coding a few records: without the pool, a
/// school of ten records takes more than twice as long. Values never move from call to call: a call, its frames and the
/// coders of types get a fresh state before they enter the pool. Their knowledge about types stays, since it is
/// constant: the schema, the order of the fields (``FieldOrders``), the positions of the fields (``SlotTables``). A
/// call does not enter the pool if user code may hold a part of it.
struct CallPool<Call: AnyObject>: Sendable {
    /// More calls at once only occur with more threads.
    private static var mostIdle: Int { 8 }

    /// Only one thread uses a call at a time: the thread that puts a call into the pool stops using it, and a call that
    /// is taken leaves the pool.
    private let idle = Lock<[Handover<Call>]>([])

    func take() -> Call? { idle.withLock { $0.popLast() }?.take() }

    func put(_ call: Call) {
        let call = Handover(call)
        // A call without room is released outside of the lock.
        idle.withLock { if $0.count < Self.mostIdle { $0.append(call) } }
    }
}
