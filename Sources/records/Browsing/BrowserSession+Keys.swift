import NestedRecords

extension BrowserSession {
    /// - Returns: Whether the session goes on.
    func handle(_ event: FullScreen.Event) async -> Bool {
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

    func handle(_ key: Key) async -> Bool {
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
    var selection: BrowserPlace.Selection? {
        if case .records(let selection) = shown.place, selection.type != nil { return selection }
        message = "open the records of a type first"
        return nil
    }

    /// The record of the window, or of the selected row; nil if there is none, with a message.
    var record: Record.ID? {
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
}
