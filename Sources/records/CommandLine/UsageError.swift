/// An error in the command line.
///
/// The program prints the error with a hint to the help, and ends with status 2.
struct UsageError: Error, CustomStringConvertible {
    /// The mistake and the correct form, on one line.
    let description: String

    /// The place of the mistake, if the error is about a part of a text.
    let mark: TextMark?

    init(_ description: String, mark: TextMark? = nil) {
        self.description = description
        self.mark = mark
    }

    /// An error about an unknown word.
    ///
    /// - Parameters:
    ///   - what: The kind of word, such as "command".
    ///   - known: The known words, of which the nearest is suggested.
    static func unknown(_ what: String, _ word: String, known: [String]) -> UsageError {
        UsageError("unknown \(what) '\(word)'\(Spelling.question(word, in: known))")
    }
}

extension UsageError: Equatable {
    /// Compares the descriptions, which name the place.
    static func == (left: UsageError, right: UsageError) -> Bool { left.description == right.description }
}
