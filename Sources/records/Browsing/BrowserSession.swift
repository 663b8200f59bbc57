import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The session of `browse`: it shows places, and handles keys.
final class BrowserSession {
    /// A place with its rows, as the user left it.
    private struct Visit {
        var place: BrowserPlace
        var listing = Listing()
        var content = BrowserContent(title: "")

        /// The number of records to read.
        var count = BrowserSource.portion

        /// The value of ``changeCount`` when the rows were read.
        var changeCount = 0
    }

    private let source: BrowserSource
    private let screen: FullScreen
    private let terminal: Terminal
    private let editing: BrowserEditing?

    /// The places on the way to the shown one, which is the last.
    private var visits: [Visit] = []
    private var prompt: BrowserPrompt?
    private var deletion: BrowserDeletion?
    private var message = ""

    /// The last error of reading.
    private var failure: (any Error)?
    private var found = ""

    /// Keys that were pressed while something was read.
    private var waiting: [Key] = []
    private let hasChanges = Lock(false)

    /// The number of changes of the database that were noticed.
    private var changeCount = 0

    /// - Parameters:
    ///   - editing: How records are changed; nil if the input is no database.
    init(_ source: BrowserSource, on screen: FullScreen, _ terminal: Terminal, editing: BrowserEditing?) {
        (self.source, self.screen, self.terminal, self.editing) = (source, screen, terminal, editing)
    }

    /// Shows the types, or another place, until the user quits.
    ///
    /// - Throws: The error if the first place cannot be read.
    func run(from start: BrowserPlace?) async throws {
        // Taken first: a change after it is noticed, also while the first place is read.
        let token = try await source.database.feed?.changeToken()
        for place in [.types, start].compactMap(\.self) {
            visits.append(Visit(place: place))
            if await !read() { throw failure ?? CancellationError() }
        }
        let watching = watching(from: token)
        defer { watching?.cancel() }
        let waker = screen.waker
        await withTaskCancellationHandler {
            while !Task.isCancelled {
                draw()
                guard await handle(waiting.isEmpty ? screen.event() : .key(waiting.removeFirst())) else { return }
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
        let waker = screen.waker
        let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
        let task = Task {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            waker.wake()
        }
        let start = ContinuousClock.now
        let drawing = Task {
            // Shorter work shows nothing.
            try await Task.sleep(for: .milliseconds(300))
            waker.wake()
        }
        defer { drawing.cancel() }
        while true {
            switch outcome.withLock({ $0 }) {
            case .success(let result): return result
            case .failure(let error):
                failure = error
                message = ErrorLine.text(of: error)
                return nil
            case nil: break
            }
            if ContinuousClock.now - start > .milliseconds(250), !visits.isEmpty {
                draw(bottom: "Reading … Esc stops")
            }
            let event = await screen.event()
            guard case .key(let key) = event, key != .escape, key != .control("c") else {
                if event == .wake, !Task.isCancelled { continue }
                if event == .resize { continue }
                task.cancel()
                message = "stopped"
                return nil
            }
            waiting.append(key)
        }
    }

    /// Reads the rows of the shown place.
    private func read() async -> Bool {
        guard let visit = visits.last else { return false }
        let (source, columns, before) = (source, screen.size.columns, changeCount)
        let content = await reading {
            try await source.content(of: visit.place, count: visit.count, within: columns)
        }
        guard let content else { return false }
        visits[visits.count - 1].changeCount = before
        visits[visits.count - 1].content = content
        visits[visits.count - 1].listing.set(header: content.header, rows: content.rows)
        return true
    }

    /// Opens a place; if it cannot be read, the window stays where it is.
    private func go(to place: BrowserPlace) async {
        visits.append(Visit(place: place))
        if await !read() { visits.removeLast() }
    }

    /// Shows the place before, and reads it again if the database has changed since.
    private func goBack() async {
        visits.removeLast()
        if visits.last?.changeCount != changeCount { _ = await read() }
    }

    /// Shows a changed selection instead of the current one.
    ///
    /// - Returns: Whether it can be read.
    private func show(_ selection: BrowserPlace.Selection) async -> Bool {
        let before = visits
        // The way back leads to all records of the type.
        if case .records(let shown) = visits.last?.place, shown.isPart { visits.removeLast() }
        visits.append(Visit(place: .records(selection)))
        if await read() { return true }
        visits = before
        return false
    }

    /// Reads more records if the last ones are near.
    private func readMore() async {
        guard let visit = visits.last, visit.content.hasMore, visit.listing.isNearEnd,
            visit.count < BrowserSource.mostListed
        else { return }
        visits[visits.count - 1].count = min(visit.count * 2, BrowserSource.mostListed)
        _ = await read()
    }

    /// A task that notes changes of the database.
    private func watching(from start: ChangeToken?) -> Task<Void, any Error>? {
        guard let feed = source.database.feed, let start else { return nil }
        let (waker, hasChanges) = (screen.waker, hasChanges)
        return Task {
            var token = start
            while !Task.isCancelled {
                try await feed.waitForChanges(after: token)
                let now = try await feed.changeToken()
                if now != token {
                    token = now
                    hasChanges.withLock { $0 = true }
                    waker.wake()
                }
                // A busy database must not keep the window busy.
                try await Task.sleep(for: .milliseconds(300))
            }
        }
    }

    // MARK: Keys

    /// - Returns: Whether the session goes on.
    private func handle(_ event: FullScreen.Event) async -> Bool {
        switch event {
        case .closed: return false
        case .resize:
            screen.clear()
            // Texts are folded at the width.
            if case .text = visits.last?.place { _ = await read() }
        case .wake:
            let isChanged = hasChanges.withLock { isChanged in
                defer { isChanged = false }
                return isChanged
            }
            if isChanged { changeCount += 1 }
            if isChanged, deletion == nil, visits.last?.place.isSearch == false { _ = await read() }
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
            if visits.last?.content.hasMore == true {
                visits[visits.count - 1].count = BrowserSource.mostListed
                _ = await read()
            }
            move(by: Int(Int32.max))
        case .character("<"), .character(">"):
            visits[visits.count - 1].listing.scroll(by: key == .character(">") ? 1 : -1)
        case .enter, .right, .character("l"):
            if let target = visits.last?.listing.selected?.target { await go(to: target) }
        case .left, .backspace, .escape, .character("h"):
            if visits.count > 1 { await goBack() } else { message = "q quits" }
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
        case .character("?"):
            let help = BrowserPlace.text(Self.help, title: "Keys")
            if visits.last?.place != help { await go(to: help) }
        case .character("q"), .control("c"): return false
        default: message = "? shows the keys"
        }
        await readMore()
        return true
    }

    private func move(by rows: Int) {
        let position = visits[visits.count - 1].listing.selection
        visits[visits.count - 1].listing.select(position + rows)
    }

    private func findNext() {
        guard !found.isEmpty else { return }
        if !visits[visits.count - 1].listing.find(found) { message = "'\(found)' does not occur" }
    }

    /// The selection of records that is shown; nil at another place, with a message.
    private var selection: BrowserPlace.Selection? {
        if case .records(let selection) = visits.last?.place, selection.type != nil { return selection }
        message = "open the records of a type first"
        return nil
    }

    /// The record of the window, or of the selected row; nil if there is none, with a message.
    private var record: Record.ID? {
        switch (visits.last?.place, visits.last?.listing.selected?.target) {
        case (.record(let id), _), (_, .record(let id)): return id
        default:
            message = "select a record first"
            return nil
        }
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
        let fields = visits.last?.content.fields.map { FieldPath([$0]).filterText } ?? []
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
        if case .records(let shown) = visits.last?.place { selection = shown }
        switch purpose {
        case .filter: selection.filter = text
        case .sort: selection.order = text
        case .open:
            do { return await go(to: .record(try Record.ID(text))) } catch { message = ErrorLine.text(of: error) }
            return prompt = BrowserPrompt(.open, text: text)
        case .search:
            found = text
            switch visits.last?.place {
            case .record, .text: return findNext()
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
        // An answer is one to a plan that was seen.
        waiting = []
        draw()
        screen.dropKeys()
    }

    private func handleInDeletion(_ key: Key) async {
        guard let shown = deletion, let editing else { return }
        if case .character(let scalar) = key, let option = BrowserDeletion.options[scalar] {
            return await planDeletion(shown.plan.options.symmetricDifference(option))
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
            let deleted = try await editing.delete(shown.plan)
            changeCount += 1
            // The window of a deleted record has nothing to show.
            visits.removeAll { $0.place == .record(shown.id) }
            if await read() { message = "deleted \(deleted.countedRecords)" }
        } catch {
            message = ErrorLine.text(of: error)
        }
    }

    // MARK: Drawing

    private func draw(bottom: String? = nil) {
        guard let visit = visits.last else { return }
        let (columns, lines) = screen.size
        if let deletion {
            return screen.show(deletion.lines((columns, lines), terminal))
        }
        // With a prompt: what is wrong with the last line, or how this one can go on.
        let candidates = prompt?.candidates ?? []
        let note = candidates.isEmpty ? message : candidates.joined(separator: "  ")
        var notes = note.visible.wrapped(to: columns).prefix(4).map { $0.visible(within: columns) }
        if let bottom { notes = [bottom] }
        if notes.isEmpty, prompt == nil { notes = [Self.hints.visible(within: columns)] }
        let height = max(1, lines - 1 - notes.count - (prompt == nil ? 0 : 1))
        let count = visit.listing.rows.count
        let position = min(visit.listing.selection + 1, count).grouped
        let mark = "\(position)/\(count.grouped)" + (visit.content.hasMore ? "+" : "")
        let title = visit.content.title.visible(within: columns - mark.utf8.count - 1)
        let space = String(repeating: " ", count: max(1, columns - mark.utf8.count - title.displayWidth))
        let rows = visits[visits.count - 1].listing.lines((columns, height), terminal)
        let frame =
            [terminal.bold(title) + space + mark] + rows
            + Array(repeating: "", count: max(0, height - rows.count)) + notes
        guard let prompt else { return screen.show(frame) }
        let line = prompt.line(within: columns)
        screen.show(frame + [line.text], cursor: (frame.count + 1, line.cursor))
    }

    private static let hints =
        "? help  q quit  Enter open  ← back  e edit  d delete  / search  f filter  s sort  o open an ID"

    private static let help = """
        Enter, →, l      open the row: the records of a type, a record, the
                         target of a reference, a long text
        ←, Backspace, h  back
        ↑ ↓, k j         a row up, down; also Page Up and Down, Home, End, g, G
        < >              columns to the left, to the right
        /                search records that contain a text; in a record or a
                         text the next row with it
        n                the next row with the text
        f                filter the records of a type, such as
                         born < 2010-01-01 and name ~ "an"; Tab completes
        s                sort by fields: title, -pages; Tab completes
        o                open a record by its ID; Tab completes
        e                edit the record in the editor of VISUAL or EDITOR
        d                delete the record, after its plan
        r                read again; changes of a database are shown by themselves
        Ctrl-L, Ctrl-Z   draw again, stop for the shell
        q, Ctrl-C        quit
        """
}

extension BrowserPlace {
    /// Whether all records must be read to show the place.
    fileprivate var isSearch: Bool {
        if case .records(let selection) = self { !selection.search.isEmpty } else { false }
    }
}
