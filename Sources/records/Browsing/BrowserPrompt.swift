/// A line that the user types at the bottom of the window.
struct BrowserPrompt {
    /// What the line is for.
    enum Purpose: String {
        case search = "Search: "
        case filter = "Filter: "
        case sort = "Sort by: "
        case open = "Open: "
    }

    /// What a key did.
    enum Effect {
        case edited
        case entered
        case cancelled

        /// The user asks how the last word can go on.
        case completion
    }

    let purpose: Purpose

    /// The words that the last one can become.
    var candidates: [String] = []
    private var scalars: [Unicode.Scalar]

    /// The position before which characters are inserted.
    private var position: Int

    init(_ purpose: Purpose, text: String = "") {
        self.purpose = purpose
        scalars = Array(text.unicodeScalars)
        position = scalars.count
    }

    var text: String { Self.string(scalars) }

    /// The line, of which the part around the cursor fits the window, and the column of the cursor, counted from 1.
    func line(within columns: Int) -> (text: String, cursor: Int) {
        let room = max(1, columns - purpose.rawValue.utf8.count - 1)
        // The last scalars are enough, and a long text is pasted as many keys.
        var before = Self.string(scalars[max(0, position - 4 * room)..<position]).visible
        while before.displayWidth > room { before.removeFirst() }
        let after = Self.string(scalars[position...].prefix(4 * room)).visible(within: room - before.displayWidth)
        return (purpose.rawValue + before + after, purpose.rawValue.utf8.count + before.displayWidth + 1)
    }

    /// Handles a key.
    mutating func handle(_ key: Key) -> Effect {
        switch key {
        case .enter: return .entered
        case .escape, .control("c"): return .cancelled
        case .tab: return .completion
        case .character(let scalar):
            scalars.insert(scalar, at: position)
            position += 1
        case .backspace where position > 0:
            position -= 1
            scalars.remove(at: position)
        case .backspace where scalars.isEmpty: return .cancelled
        case .delete where position < scalars.count: scalars.remove(at: position)
        case .left: position = max(0, position - 1)
        case .right: position = min(scalars.count, position + 1)
        case .home, .control("a"): position = 0
        case .end, .control("e"): position = scalars.count
        case .control("u"):
            scalars.removeFirst(position)
            position = 0
        default: break
        }
        candidates = []
        return .edited
    }

    /// The word before the cursor: up to white space, a bracket, a comma or an operator.
    var word: String {
        let ends = "()[], =<>!~&|".unicodeScalars
        let start = purpose == .open ? nil : scalars[..<position].lastIndex(where: ends.contains)
        return Self.string(scalars[(start.map { $0 + 1 } ?? 0)..<position])
    }

    /// Extends the word before the cursor by what all words with this beginning have in common.
    mutating func complete(with words: [String]) {
        let word = word
        candidates = words.filter { $0.utf8.starts(with: word.utf8) }.uniqued()
        guard let first = candidates.first else { return }
        let common = candidates.dropFirst().reduce(Array(first.unicodeScalars)) { common, candidate in
            Array(zip(common, candidate.unicodeScalars).prefix { $0 == $1 }.map { $0.0 })
        }
        let rest = common.dropFirst(word.unicodeScalars.count)
        scalars.insert(contentsOf: rest, at: position)
        position += rest.count
        if candidates.count == 1 { candidates = [] }
    }

    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
