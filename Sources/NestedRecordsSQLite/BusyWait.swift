#if SQLite
import CSQLite
@_spi(Engines) import NestedRecords

/// The pauses of a connection that waits for a file in use by another, in a thread of its own.
///
/// SQLite's own timeout pauses for up to 100 ms. If others save all the time, a connection that pauses that long finds
/// the file free only by chance: with five saving processes, the longest of some 1,200 saves of each took 440 to 760
/// ms, and one in a hundred 60 to 140 ms. With these pauses it is 90 to 310 ms, and 25 to 33 ms.
final class BusyWait {
    private let timeout: Duration
    private var start = ContinuousClock.now
    var isOn: Bool

    init(timeout: Duration, isOn: Bool) { (self.timeout, self.isOn) = (timeout, isOn) }

    func install(in handle: OpaquePointer) {
        let waits: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { context, count in
            guard let context else { return 0 }
            return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().pause(isFirst: count == 0) ? 1 : 0
        }
        sqlite3_busy_handler(handle, waits, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Repeats calls that SQLite refuses without waiting: if two connections would wait for each other, for instance while
    /// both create a file, it refuses one of them at once.
    func repeating(_ body: () throws -> Void) throws {
        let start = ContinuousClock.now
        while true {
            do {
                return try body()
            } catch let failure as RecordDatabaseError where failure.code == .busy {
                self.start = start
                if !pause(isFirst: false) { throw failure }
            }
        }
    }

    /// Pauses before another attempt, the first one for a lock or a later one; returns whether time is left for it.
    private func pause(isFirst: Bool) -> Bool {
        let now = ContinuousClock.now
        if isFirst { start = now }
        if !isOn || now - start >= timeout { return false }
        sqlite3_sleep(1)
        return true
    }
}
#endif
