/// Suggestions for misspelt words.
enum Spelling {
    /// The maximum length of a misspelt name.
    private static let longest = 40

    /// The end of an error that asks for the nearest known word; empty without one.
    static func question(_ word: String, in known: [String]) -> String {
        nearest(to: word, in: known).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The nearest known word, if only capitals or at most a third of its letters differ, or it begins with the given
    /// word.
    static func nearest(to word: String, in known: [String]) -> String? {
        let letters = Array(word)
        guard !letters.isEmpty, letters.count <= longest else { return nil }
        if let same = known.first(where: { $0.lowercased() == word.lowercased() }) { return same }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let distance = distance(letters, Array(candidate))
            guard distance <= max(1, min(letters.count, candidate.count) / 3), distance < candidate.count else {
                continue
            }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        if let best { return best.word }
        let meaning = word.unicodeScalars.drop { $0 == "-" }
        return meaning.count < 2 ? nil : known.first { $0.utf8.starts(with: word.utf8) }
    }

    /// The number of letters to add, remove, replace or swap with their neighbour.
    static func distance(_ first: [Character], _ second: [Character]) -> Int {  // Characters: as people type them
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
