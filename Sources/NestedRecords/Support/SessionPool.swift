/// Sessions that wait for the next call, with all that they found out about Swift types.
///
/// Finding that out costs as much as encoding a few dozen records, so small calls live from it. A session comes back
/// only when its call has succeeded and user code holds no part of it.
struct SessionPool<Session: AnyObject>: Sendable {
    /// More sessions than this are only in use at once where more threads run.
    private static var mostIdle: Int { 8 }

    /// A session on its way between two threads.
    ///
    /// It is Sendable because one thread at a time has it: the thread that puts it here keeps no reference, and it leaves the pool
    /// when it is taken.
    private struct Idle: @unchecked Sendable {
        let session: Session
    }

    private let idle = Lock<[Idle]>([])

    /// An idle session, nil if there is none.
    func take() -> Session? { idle.withLock { $0.popLast() }?.session }

    /// Keeps a session for the next call.
    ///
    /// - Returns: Whether there was room for it.
    func put(_ session: Session) -> Bool {
        let waiting = Idle(session: session)
        return idle.withLock { idle in
            guard idle.count < Self.mostIdle else { return false }
            idle.append(waiting)
            return true
        }
    }
}

/// How large a session may have become if it is to be kept, so that one large call does not hold memory for ever.
enum SessionLimits {
    static let levels = 256
    static let types = 512
    static let shapes = 4_096

    /// Room for so many records takes 1.3 MB.
    static let records = 16_384

    static let slotTables = 64
}
