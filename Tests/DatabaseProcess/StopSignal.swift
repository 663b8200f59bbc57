import Foundation

/// Is set by a line on the standard input, or by its end.
///
/// Sendable, since the flag is accessed only while the lock is held.
final class StopSignal: @unchecked Sendable {
    private let lock = NSLock()
    private var flag = false

    init() {
        Thread.detachNewThread { [self] in
            _ = FileHandle.standardInput.availableData
            lock.withLock { flag = true }
        }
    }

    var isSet: Bool { lock.withLock { flag } }
}
