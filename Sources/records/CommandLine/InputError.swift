import NestedRecords

/// An error about an input, with its name, since a command may have several inputs.
struct InputError: Error, Hashable, CustomStringConvertible {
    /// The file, as the user named it, or "standard input".
    let input: String

    /// The reason, with line and column for lines.
    let reason: String

    /// The error of a command that would write a database of another program.
    static func ofOtherProgram(_ path: String) -> InputError {
        InputError(
            input: path,
            reason: "is a SQLite database of another program, which is only read: 'records copy' makes records of it")
    }

    /// The error for records that would be replaced without a consent.
    ///
    /// - Parameter hint: Another way than replacing them.
    static func replacing(
        _ ids: [Record.ID], in target: String, by source: String, hint: String? = nil
    ) -> InputError {
        let (count, first) = (ids.count, ids.prefix(5).map { "\($0)" }.joined(separator: ", "))
        let what = count == 1 ? "\(first) exists" : "\(count.countedRecords) exist"
        let list = count == 1 ? "" : " (\(first)\(count > 5 ? ", …" : ""))"
        return InputError(
            input: target,
            reason: "\(what) with other content than in \(source)\(list); '--overwrite' replaces such records, "
                + (hint.map { "\($0), " } ?? "") + "and 'records diff' lists them")
    }

    /// The input and the reason in one line.
    var description: String { "\(input): \(reason)" }
}
