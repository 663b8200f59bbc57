/// An error in a JSON document, with its place.
package struct JSONError: Error, Sendable, Hashable {
    /// The unexpected and the expected input, in one line.
    package let reason: String

    package let place: JSONPlace

    package init(reason: String, place: JSONPlace) {
        self.reason = reason
        self.place = place
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "\(place): \(reason)" }
}

/// An error at an offset, before its line and column are computed.
package struct JSONFault: Error {
    /// The unexpected and the expected input, in one line.
    package let reason: String

    package let offset: Int

    /// The error that another part of the library threw at this place.
    let underlyingError: (any Error)?

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

    /// The error with line and column in the whole document.
    func placed(in bytes: BytesInPlace) -> JSONError {
        JSONError(reason: reason, place: JSONPlace(of: offset, in: bytes))
    }
}
