#if PostgreSQL
import CPostgreSQL
import Dispatch
@_spi(Engines) import NestedRecords

/// Sendable because libpq allows `PQcancel` in any thread, and nothing else uses the object until it is freed.
final class CancelHandle: @unchecked Sendable {
    private let handle: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let handle = PQgetCancel(connection) else { return nil }
        self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    /// Sends the request; returns once the server has received it, or cannot be reached.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(handle, &message, Int32(message.count))
    }
}

final class CancelSwitch: Sendable {
    private struct State {
        var handle: CancelHandle?
        var time: DispatchTime?
    }

    private let state = Lock(State())

    var time: DispatchTime? { state.withLock { $0.time } }

    /// Stores the handle of the statement to cancel; returns false if the task is cancelled.
    func arm(_ handle: CancelHandle?) -> Bool {
        state.withLock { state in
            guard state.time == nil else { return false }
            state.handle = handle
            return true
        }
    }

    func disarm() { state.withLock { $0.handle = nil } }

    func cancel() {
        let handle = state.withLock { state in
            if state.time == nil { state.time = .now() }
            return state.handle
        }
        // The request opens a connection of its own, which may take long.
        if let handle { BlockingQueue(label: "NestedRecords PostgreSQL cancellation").enqueue { handle.cancel() } }
    }
}
#endif
