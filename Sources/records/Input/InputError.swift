/// Why an input cannot be read: with its name, since a command may have several.
struct InputError: Error, Hashable, CustomStringConvertible {
    /// The file, as the user named it, or "standard input".
    let input: String

    /// What is wrong, with line and column where there are lines.
    let reason: String

    /// The input and the reason in one line.
    var description: String { "\(input): \(reason)" }
}
