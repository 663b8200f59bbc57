import NestedRecords

/// The session of `browse`: it shows places, and handles keys.
final class BrowserSession {
    private let source: BrowserSource
    private let screen: FullScreen
    private let terminal: Terminal
    private let editing: BrowserEditing?

    /// Whether the database has changed since the last look.
    private let hasNews = Lock(false)

    /// The places on the way to the shown one, which is the last: first the types.
    private var visits = [BrowserVisit(.types)]
    private var prompt: BrowserPrompt?
    private var deletion: BrowserDeletion?
    private var message = ""

    /// The last error of reading.
    private var failure: (any Error)?
    private var found = ""

    /// The number of changes of the database that were noticed.
    private var changeCount = 0

    /// - Parameter editing: How records are changed; nil if the input is not a database.
    init(_ source: BrowserSource, on screen: FullScreen, _ terminal: Terminal, editing: BrowserEditing?) {
        (self.source, self.screen, self.terminal, self.editing) = (source, screen, terminal, editing)
    }

    private var shown: BrowserVisit {
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
    private func reading<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async -> Result? {
        do {
            return try await screen.run(body) { draw(bottom: "Reading … Esc stops") }
        } catch {
            failure = error
            message = error is CancellationError ? "stopped" : ErrorLine.text(of: error)
            return nil
        }
    }

    /// Reads the rows of the shown place.
    private func read() async -> Bool {
        let (source, columns, before, visit) = (source, screen.size.columns, changeCount, shown)
        let content = await reading {
            try await source.content(of: visit.place, count: visit.count, within: columns)
        }
        guard let content else { return false }
        shown.show(content, changeCount: before)
        return true
    }

    /// Opens a place; if it cannot be read, the window stays where it is.
    private func go(to place: BrowserPlace) async {
        visits.append(BrowserVisit(place))
        if await !read() { visits.removeLast() }
    }

    /// Shows the place before, and reads it again if the database has changed since.
    private func goBack() async {
        guard visits.count > 1 else { return message = "q quits" }
        visits.removeLast()
        if shown.changeCount != changeCount { _ = await read() }
    }

    /// Shows a changed selection instead of the current one.
    ///
    /// - Returns: Whether it can be read.
    private func show(_ selection: BrowserPlace.Selection) async -> Bool {
        let before = visits
        // The way back leads to all records of the type.
        if case .records(let shown) = shown.place, shown.isPart { visits.removeLast() }
        visits.append(BrowserVisit(.records(selection)))
        if await read() { return true }
        visits = before
        return false
    }

    /// Reads more records if the last ones are near.
    private func readMore() async {
        let visit = shown
        guard visit.content.hasMore, visit.listing.isNearEnd, visit.count < BrowserSource.mostListed else { return }
        shown.count = min(visit.count * 2, BrowserSource.mostListed)
        _ = await read()
    }

    // MARK: Keys

    /// - Returns: Whether the session goes on.
    private func handle(_ event: FullScreen.Event) async -> Bool {
        switch event {
        case .closed: return false
        case .resize:
            screen.clear()
            if shown.place.isFolded { _ = await read() }
        case .wake:
            let isNew = hasNews.withLock { hasNews in
                defer { hasNews = false }
                return hasNews
            }
            guard isNew else { break }
            changeCount += 1
            if deletion == nil, !shown.place.isSearch { _ = await read() }
        case .key(.control("l")): screen.clear()
        case .key(.control("z")): screen.stop()
        case .key(let key):
            if prompt != nil {
                await handleInPrompt(key)
            } else if deletion != nil {
                await handleInDeletion(key)
            } else {
                message = ""
                return await handle(key)
            }
        }
        return true
    }

    private func handle(_ key: Key) async -> Bool {
        let page = max(1, screen.size.lines - 4)
        switch key {
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -page)
        case .pageDown, .character(" "): move(by: page)
        case .home, .character("g"): move(by: -Int(Int32.max))
        case .end, .character("G"):
            if shown.content.hasMore {
                shown.count = BrowserSource.mostListed
                _ = await read()
            }
            move(by: Int(Int32.max))
        case .character("<"), .character(">"):
            shown.listing.scroll(by: key == .character(">") ? 1 : -1)
        case .enter, .right, .character("l"):
            if let target = shown.listing.selected?.target { await go(to: target) }
        case .left, .backspace, .escape, .character("h"): await goBack()
        case .character("/"): prompt = BrowserPrompt(.search)
        case .character("f"):
            if let selection { prompt = BrowserPrompt(.filter, text: selection.filter) }
        case .character("s"):
            if let selection { prompt = BrowserPrompt(.sort, text: selection.order) }
        case .character("o"): prompt = BrowserPrompt(.open)
        case .character("n"): findNext()
        case .character("r"): if await read() { message = "read again" }
        case .character("e"): await edit()
        case .character("d"): await planDeletion([])
        case .character("?"): if shown.place != .keys { await go(to: .keys) }
        case .character("q"), .control("c"): return false
        default: message = "? shows the keys"
        }
        await readMore()
        return true
    }

    private func move(by rows: Int) {
        shown.listing.select(shown.listing.selection + rows)
    }

    private func findNext() {
        guard !found.isEmpty else { return }
        if !shown.listing.find(found) { message = "'\(found)' does not occur" }
    }

    /// The selection of records that is shown; nil at another place, with a message.
    private var selection: BrowserPlace.Selection? {
        if case .records(let selection) = shown.place, selection.type != nil { return selection }
        message = "open the records of a type first"
        return nil
    }

    /// The record of the window, or of the selected row; nil if there is none, with a message.
    private var record: Record.ID? {
        if shown.record == nil { message = "select a record first" }
        return shown.record
    }

    private func handleInPrompt(_ key: Key) async {
        guard var line = prompt else { return }
        let effect = line.handle(key)
        prompt = line
        switch effect {
        case .edited: break
        case .cancelled: prompt = nil
        case .completion:
            line.complete(with: await words(for: line))
            prompt = line
        case .entered:
            prompt = nil
            message = ""
            await enter(line.text, for: line.purpose)
        }
    }

    /// The words for the completion of a line.
    private func words(for line: BrowserPrompt) async -> [String] {
        let fields = shown.content.fields.map { FieldPath([$0]).filterText }
        switch line.purpose {
        case .search: return []
        case .sort: return fields.flatMap { [$0, "-" + $0] }
        case .filter: return fields + FilterCondition.words + ["and", "or", "not", "@name", "@modified", "@created"]
        case .open:
            let (source, text) = (source, line.text)
            return await reading { try await source.ids(beginningWith: text) } ?? []
        }
    }

    private func enter(_ text: String, for purpose: BrowserPrompt.Purpose) async {
        var selection = BrowserPlace.Selection()
        if case .records(let shown) = shown.place { selection = shown }
        switch purpose {
        case .filter: selection.filter = text
        case .sort: selection.order = text
        case .open:
            do { return await go(to: .record(try Record.ID(text))) } catch { message = ErrorLine.text(of: error) }
            return prompt = BrowserPrompt(.open, text: text)
        case .search:
            found = text
            switch shown.place {
            case .record, .text, .keys: return findNext()
            default: selection.search = text
            }
        }
        // The user can mend the text.
        if await !show(selection) { prompt = BrowserPrompt(purpose, text: text) }
    }

    // MARK: Changes

    private func edit() async {
        guard let id = record else { return }
        guard let editing else { return message = BrowserEditing.refusal }
        do {
            let text = try await screen.suspended { try await editing.edit(id, from: source.input) }
            changeCount += 1
            if await read() { message = text }
        } catch {
            message = ErrorLine.text(of: error)
        }
    }

    private func planDeletion(_ options: DeletionOptions) async {
        guard let id = deletion?.id ?? record else { return }
        guard editing != nil else { return message = BrowserEditing.refusal }
        let database = source.database
        deletion = await reading {
            BrowserDeletion(id: id, plan: try await database.deletionPlan(for: [id], options))
        }
        // Keys that were pressed before the plan is shown do not answer it.
        screen.dropKeys()
    }

    private func handleInDeletion(_ key: Key) async {
        guard let shown = deletion, let editing else { return }
        if let choice = BrowserDeletion.choices.first(where: { key == .character($0.key) }) {
            return await planDeletion(shown.plan.options.symmetricDifference(choice.option))
        }
        guard key == .character("y"), shown.isAllowed else {
            if key == .character("n") || key == .escape || key == .control("c") {
                deletion = nil
                message = "nothing is deleted"
            }
            return
        }
        deletion = nil
        do {
            let text = try await editing.delete(shown.plan)
            changeCount += 1
            // The window of a deleted record has nothing to show.
            visits.removeAll { $0.place == .record(shown.id) }
            if await read() { message = text }
        } catch {
            message = ErrorLine.text(of: error)
        }
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
