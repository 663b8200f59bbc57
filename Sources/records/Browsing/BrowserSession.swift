import NestedRecords

/// The session of `browse`: it shows places, and handles keys.
final class BrowserSession {
    let source: BrowserSource
    let screen: FullScreen
    private let terminal: Terminal
    let editing: BrowserEditing?

    /// Whether the database has changed since the last look.
    let hasNews = Lock(false)

    /// The places on the way to the shown one, which is the last: first the types.
    var visits = [BrowserVisit(.types)]
    var prompt: BrowserPrompt?
    var deletion: BrowserDeletion?
    var message = ""

    /// The last error of reading.
    private var failure: (any Error)?
    var found = ""

    /// The number of changes of the database that were noticed.
    var changeCount = 0

    /// - Parameter editing: How records are changed; nil if the input is not a database.
    init(_ source: BrowserSource, on screen: FullScreen, _ terminal: Terminal, editing: BrowserEditing?) {
        (self.source, self.screen, self.terminal, self.editing) = (source, screen, terminal, editing)
    }

    var shown: BrowserVisit {
        get { visits[visits.count - 1] }
        set { visits[visits.count - 1] = newValue }
    }

    /// Shows the types, or another place, until the user quits.
    ///
    /// - Throws: The error if the first place cannot be read.
    func run(from start: BrowserPlace?) async throws {
        // Taken first: a change after it is noticed, also while the first place is read.
        let (feed, waker) = (source.database.feed, screen.waker)
        let token = try await feed?.changeToken()
        if await !read() { throw failure ?? CancellationError() }
        if let start {
            visits.append(BrowserVisit(start))
            if await !read() { throw failure ?? CancellationError() }
        }
        let watching = Task { [hasNews] in
            guard let feed, var token else { return }
            while !Task.isCancelled {
                try await feed.waitForChanges(after: token)
                let now = try await feed.changeToken()
                if now != token {
                    token = now
                    hasNews.withLock { $0 = true }
                    waker.wake()
                }
                // A busy database must not keep the window busy.
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        defer { watching.cancel() }
        await withTaskCancellationHandler {
            while !Task.isCancelled {
                draw()
                guard await handle(screen.event()) else { return }
            }
        } onCancel: {
            waker.wake()
        }
    }

    // MARK: Reading

    /// Runs a closure, which the escape key stops.
    ///
    /// - Returns: nil if it failed or was stopped; the message says so.
    func reading<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async -> Result? {
        do {
            return try await screen.run(body) { draw(bottom: "Reading … Esc stops") }
        } catch {
            failure = error
            message = error is CancellationError ? "stopped" : ErrorLine.text(of: error)
            return nil
        }
    }

    /// Reads the rows of the shown place.
    func read() async -> Bool {
        let (source, columns, before, visit) = (source, screen.size.columns, changeCount, shown)
        let content = await reading {
            try await source.content(of: visit.place, count: visit.count, within: columns)
        }
        guard let content else { return false }
        shown.show(content, changeCount: before)
        return true
    }

    /// Opens a place; if it cannot be read, the window stays where it is.
    func go(to place: BrowserPlace) async {
        visits.append(BrowserVisit(place))
        if await !read() { visits.removeLast() }
    }

    /// Shows the place before, and reads it again if the database has changed since.
    func goBack() async {
        guard visits.count > 1 else { return message = "q quits" }
        visits.removeLast()
        if shown.changeCount != changeCount { _ = await read() }
    }

    /// Shows a changed selection instead of the current one.
    ///
    /// - Returns: Whether it can be read.
    func show(_ selection: BrowserPlace.Selection) async -> Bool {
        let before = visits
        // The way back leads to all records of the type.
        if case .records(let shown) = shown.place, shown.isPart { visits.removeLast() }
        visits.append(BrowserVisit(.records(selection)))
        if await read() { return true }
        visits = before
        return false
    }

    /// Reads more records if the last ones are near.
    func readMore() async {
        let visit = shown
        guard visit.content.hasMore, visit.listing.isNearEnd, visit.count < BrowserSource.mostListed else { return }
        shown.count = min(visit.count * 2, BrowserSource.mostListed)
        _ = await read()
    }

    // MARK: Drawing

    private func draw(bottom: String? = nil) {
        let size = screen.size
        if let deletion { return screen.show(deletion.lines(size, terminal)) }
        // With a prompt: what is wrong with the last line, or how this one can go on.
        let candidates = prompt?.candidates ?? []
        let note = bottom ?? (candidates.isEmpty ? message : candidates.joined(separator: "  "))
        var notes = note.visible.wrapped(to: size.columns).prefix(4).map { $0.visible(within: size.columns) }
        if notes.isEmpty, prompt == nil { notes = [BrowserKeys.line(within: size.columns)] }
        let line = prompt?.line(within: size.columns)
        let lines = shown.lines(size, notes: notes + [line?.text].compactMap(\.self), terminal)
        screen.show(lines, cursor: line.map { (lines.count, $0.cursor) })
    }
}
