import NestedRecords

/// The last line of a terminal on standard error, redrawn during work.
final class StatusLine: Sendable {
    private let descriptor: Int32
    private let state = Lock(State())

    private struct State {
        var isDrawn = false

        /// The lines to print later; nil if lines are printed at once.
        var held: [String]?
    }

    /// The terminal properties of the stream.
    ///
    /// Nothing is drawn if the stream is not a terminal.
    let terminal: Terminal

    init(descriptor: Int32, terminal: Terminal) {
        (self.descriptor, self.terminal) = (descriptor, terminal)
    }

    /// Replaces the line, cut to the width of the terminal.
    func draw(_ text: String) {
        guard terminal.isTerminal else { return }
        // The last column stays free: some terminals wrap when it is written.
        let line = text.visible(within: (terminal.width ?? 80) - 1)
        state.withLock { state in
            guard state.held == nil else { return }
            state.isDrawn = true
            Interruption.hasStatusLine.pointee = 1
            put("\r\(line)\u{1b}[K")
        }
    }

    /// Removes the line, if one is drawn.
    func clear() {
        state.withLock { state in
            guard state.isDrawn else { return }
            state.isDrawn = false
            Interruption.hasStatusLine.pointee = 0
            put("\r\u{1b}[K")
        }
    }

    /// Writes a line that stays, such as an error.
    func print(_ line: String) {
        state.withLock { state in
            guard state.held == nil else {
                state.held?.append(line)
                return
            }
            put((state.isDrawn ? "\r\u{1b}[K" : "") + line + "\n")
            state.isDrawn = false
            Interruption.hasStatusLine.pointee = 0
        }
    }

    /// Draws nothing and keeps lines, since another program has the terminal.
    func hold() {
        clear()
        state.withLock { $0.held = $0.held ?? [] }
    }

    /// Prints the kept lines.
    func release() {
        let lines = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for line in lines { print(line) }
    }

    /// Writes to standard error.
    ///
    /// A failure is ignored, since it cannot be reported.
    private func put(_ text: String) { systemWriteAll(text, to: descriptor) }
}
