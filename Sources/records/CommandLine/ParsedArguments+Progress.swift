extension ParsedArguments {
    /// A progress bar for work that prints little or nothing before its end.
    func bar(_ title: String, total: Int?) -> ProgressBar {
        ProgressBar(title, total: total, on: console.statusLine)
    }

    /// A progress bar for work that prints its results; nil if the output itself goes to the terminal.
    func barOfOutput(_ title: String, unit: String = "records") -> ProgressBar? {
        console.outputTerminal.isTerminal ? nil : ProgressBar(title, unit: unit, on: console.statusLine)
    }

    /// Shows a title while an operation without progress runs.
    func showing<Result>(_ title: String, while body: () async throws -> Result) async throws -> Result {
        let statusLine = console.statusLine
        let drawing = Task {
            // Shorter work shows nothing.
            try await Task.sleep(for: .milliseconds(300))
            statusLine.draw(title + " …")
        }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        drawing.cancel()
        _ = await drawing.result
        statusLine.clear()
        return try result.get()
    }

    /// Prints hints on standard error, after what was printed so far.
    func printHints(_ lines: [String]) throws {
        if !lines.isEmpty { try console.output.flush() }
        for line in lines { notify("hint: \(line)") }
    }

    /// Prints a line on standard error.
    func notify(_ text: String) { console.statusLine.print("\(program.name): \(text)".visible) }
}
