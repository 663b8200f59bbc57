/// What is wrong with a JSON document, and where.
package struct JSONError: Error, Sendable, Hashable {
    /// What was found and what was expected, in one line.
    package let reason: String

    /// Where it was found.
    package let place: JSONPlace

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - reason: What was found and what was expected.
    ///   - place: Where it was found.
    package init(reason: String, place: JSONPlace) {
        self.reason = reason
        self.place = place
    }
}

extension JSONError: CustomStringConvertible {
    /// The place and the reason in one line.
    package var description: String { "\(place): \(reason)" }
}

/// What is wrong at an offset, before the line and the column are wanted.
package struct JSONFault: Error {
    /// What was found and what was expected, in one line.
    package let reason: String

    /// The offset of the value that is wrong.
    package let offset: Int

    /// The error of which this is the place, if another part of the library found it.
    let underlyingError: (any Error)?

    /// Makes a fault.
    ///
    /// - Parameters:
    ///   - reason: What was found and what was expected.
    ///   - offset: The offset of the value that is wrong.
    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
        underlyingError = nil
    }

    /// The fault of a value that another part of the library does not accept.
    init(_ error: any Error, offset: Int) {
        reason = "\(error)"
        self.offset = offset
        underlyingError = error
    }

    /// The error with line and column.
    ///
    /// - Parameter bytes: The whole document.
    func placed(in bytes: BytesInPlace) -> JSONError {
        JSONError(reason: reason, place: JSONPlace(of: offset, in: bytes))
    }
}
