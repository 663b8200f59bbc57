#if SQLite
import CSQLite

/// How a connection waits for a file that another one uses.
///
/// SQLite's own timeout pauses for up to 100 ms. Whoever pauses that long finds the file free only by chance where others
/// save all the time: with five processes that do, the longest of some 1,200 saves of each took 440 to 760 ms, and one in a
/// hundred 60 to 140 ms. With these pauses it is 90 to 310 ms, and 25 to 33 ms.
final class BusyWait {
    private let timeout: Duration
    private var start = ContinuousClock.now

    /// Whether to wait at all.
    var isOn = true

    init(timeout: Duration) { self.timeout = timeout }

    /// Waits in this way for all that the connection does; the connection holds this object as long as it is open.
    func install(in handle: OpaquePointer) {
        let waits: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { context, count in
            guard let context else { return 0 }
            return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().pause(count) ? 1 : 0
        }
        sqlite3_busy_handler(handle, waits, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Repeats what SQLite refuses without waiting: where two connections would wait for each other, as those that make a
    /// file at the same time do, it refuses one of them at once.
    ///
    /// - Throws: What the closure throws, and that the file is in use if there is no time for another attempt.
    func repeating(_ body: () throws -> Void) throws {
        let start = ContinuousClock.now
        while true {
            do {
                return try body()
            } catch let failure as SQLiteRecordDatabaseError where failure.code == .busy {
                if start.duration(to: .now) >= timeout { throw failure }
                sqlite3_sleep(1)
            }
        }
    }

    /// Pauses before another attempt.
    ///
    /// - Parameter count: How many pauses there were for the same lock.
    /// - Returns: Whether there is time for another attempt.
    private func pause(_ count: Int32) -> Bool {
        let now = ContinuousClock.now
        if count == 0 { start = now }
        if !isOn || now - start >= timeout { return false }
        sqlite3_sleep(1)
        return true
    }
}
#endif
