/// A command line that cannot be understood.
///
/// The program prints it with a hint to the help, and ends with status 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what would be right, on one line.
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// An error about a word that is none of those known.
    ///
    /// - Parameters:
    ///   - what: What the word is, such as "command".
    ///   - word: The word as it was given.
    ///   - known: The words that there are, of which the nearest is suggested.
    static func unknown(_ what: String, _ word: String, known: [String]) -> UsageError {
        let suggestion = Spelling.nearest(to: word, in: known).map { "; did you mean '\($0)'?" } ?? ""
        return UsageError("unknown \(what) '\(word)'\(suggestion)")
    }
}
