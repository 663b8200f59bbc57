extension ParsedArguments {
    /// A bar for work that prints nothing before its end, or so little that the bar does not disturb.
    func bar(_ title: String, total: Int?) -> ProgressBar {
        ProgressBar(title, total: total, on: console.statusLine)
    }

    /// Shows an operation that reports no progress.
    ///
    /// - Parameters:
    ///   - title: What is being done.
    ///   - body: The work.
    /// - Throws: What the work throws.
    func showing<Result>(_ title: String, while body: () async throws -> Result) async throws -> Result {
        let statusLine = console.statusLine
        let drawing = Task {
            // Work that is done sooner shows nothing.
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
}
