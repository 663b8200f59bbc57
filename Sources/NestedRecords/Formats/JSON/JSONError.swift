package struct JSONError: Error, Sendable, Hashable {
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

package struct JSONFault: Error {
    package let reason: String
    package let offset: Int
    let underlyingError: (any Error)?

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
        underlyingError = nil
    }

    init(_ error: any Error, offset: Int) {
        reason = "\(error)"
        self.offset = offset
        underlyingError = error
    }

    func placed(in bytes: BytesInPlace) -> JSONError {
        JSONError(reason: reason, place: JSONPlace(of: offset, in: bytes))
    }
}
