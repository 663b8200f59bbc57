import Foundation
import NestedRecords

/// A buffered output stream.
///
/// A failed write is always reported: by a write, or at the latest by the last ``flush()``.
final class Output: Sendable {
    private static let bufferSize = 1 << 16

    private let descriptor: Int32
    private let isTerminal: Bool
    private let statusLine: StatusLine?
    private let state = Lock(State())

    private struct State {
        var buffer: [UInt8] = []
        /// The first failure, which all later writes throw: otherwise the stream would have a gap.
        var failure: (any Error)?

        /// The pager for output that is longer than the screen; nil after the first flush.
        var pager: (program: Pager, terminal: Terminal)?
        var running: RunningPager?

        /// Why the pager could not be started.
        var pagerFailure: (any Error)?
    }

    /// Makes an output; a status line on the same terminal is cleared before each write.
    init(descriptor: Int32, isTerminal: Bool = false, statusLine: StatusLine? = nil) {
        (self.descriptor, self.isTerminal, self.statusLine) = (descriptor, isTerminal, statusLine)
    }

    /// Writes a string.
    ///
    /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputFailure`` when writing fails.
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes bytes.
    ///
    /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputFailure`` when writing fails.
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }

    /// Writes JSON; on a terminal with escapes for control characters and invisible characters.
    ///
    /// - Parameter bytes: A document, or a part of one that splits no scalar.
    /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputFailure`` when writing fails.
    func write(json bytes: [UInt8]) throws {
        guard isTerminal else { return try write(bytes) }
        try write(VisibleText.json(String(decoding: bytes, as: UTF8.self)))
    }

    /// Writes bytes.
    ///
    /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputFailure`` when writing fails.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.buffer.append(contentsOf: bytes)
            if state.buffer.count >= Self.bufferSize { try flush(&state) }
        }
    }

    /// Writes the rest of the buffer.
    ///
    /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputFailure`` when writing fails, now or before.
    func flush() throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            try flush(&state)
        }
    }

    /// Shows the output in a pager if it is longer than the screen: if the first flush is.
    func use(_ pager: Pager, on screen: Terminal) { state.withLock { $0.pager = (pager, screen) } }

    /// Waits until the user leaves the pager, if there is one.
    ///
    /// - Returns: What went wrong with it; nil if nothing.
    func endPager() -> String? {
        let (running, failure) = state.withLock { state in
            defer { state.running = nil }
            return (state.running, state.pagerFailure)
        }
        defer { statusLine?.release() }
        if let failure { return "cannot be started: \(failure)" }
        // An interrupt is the user's way to leave some pagers.
        guard let status = running?.end(), ![0, 128 + SIGINT].contains(status) else { return nil }
        return "failed with status \(status)"
    }

    /// Runs a closure that prints, and returns when the reader is gone.
    ///
    /// For commands whose exit code reports their findings.
    ///
    /// - Throws: Errors of the closure, except ``BrokenPipe``.
    func whileRead(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        do { try await body() } catch is BrokenPipe {}
    }

    private func flush(_ state: inout State) throws {
        guard !state.buffer.isEmpty else { return }
        statusLine?.clear()
        defer { state.buffer.removeAll(keepingCapacity: true) }
        if let pager = state.pager, pager.terminal.isExceeded(by: state.buffer) {
            do {
                state.running = try pager.program.start()
                statusLine?.hold()
            } catch {
                state.pagerFailure = error
            }
        }
        state.pager = nil
        let descriptor = state.running?.descriptor ?? descriptor
        if let error = state.buffer.withUnsafeBytes({ systemWriteAll($0, to: descriptor) }) {
            let failure: any Error = error.number == EPIPE ? BrokenPipe() : OutputFailure(reason: error)
            state.failure = failure
            throw failure
        }
    }
}

/// The reader of the output is gone.
///
/// Not reported, since the reader has read enough.
struct BrokenPipe: Error, Equatable {}

/// Writing to standard output failed, for another reason than a closed pipe.
struct OutputFailure: Error, Equatable, CustomStringConvertible {
    let reason: SystemError

    var description: String {
        "cannot write to standard output: \(reason); the output is incomplete"
    }
}

/// `write(2)` under another name, since ``Output`` has methods of that name.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// Writes all bytes, also to a stream that is full and does not block, as another process may have set it.
///
/// - Returns: What went wrong; nil if nothing.
func systemWriteAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> SystemError? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        let error = written == 0 ? SystemError(number: EIO) : SystemError.last
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if error.number == EAGAIN {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, -1)
        } else if error != .interruptedCall {
            return error
        }
    }
    return nil
}

/// Writes all of a text.
///
/// - Returns: What went wrong; nil if nothing.
@discardableResult
func systemWriteAll(_ text: String, to descriptor: Int32) -> SystemError? {
    var text = text
    return text.withUTF8 { systemWriteAll(UnsafeRawBufferPointer($0), to: descriptor) }
}
