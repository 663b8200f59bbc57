/// What is wrong with a JSON document, and where.
struct JSONError: Error, Sendable, Hashable {
    /// What was found and what was expected, in one line.
    let reason: String

    /// Where it was found.
    let place: JSONPlace
}

extension JSONError: CustomStringConvertible {
    /// The place and the reason in one line.
    var description: String { "\(place): \(reason)" }
}

/// What is wrong at an offset, before the line and the column are wanted.
struct JSONFault: Error {
    let reason: String
    let offset: Int

    /// The error with line and column.
    ///
    /// - Parameter bytes: The whole document.
    func error(in bytes: UnsafeRawBufferPointer) -> JSONError {
        JSONError(reason: reason, place: JSONPlace(of: offset, in: bytes))
    }
}
