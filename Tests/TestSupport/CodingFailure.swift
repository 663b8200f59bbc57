import Foundation
import NestedRecords

/// An error of Swift's coders in a form that compares: its kind and its place, not its sentence.
package struct CodingFailure: Equatable {
    package enum Kind: Equatable {
        case invalidValue, dataCorrupted, typeMismatch, valueNotFound
        case keyNotFound(String)
    }

    package var kind: Kind

    /// The coding path, with dots between the keys.
    package var path: String

    /// The record, its field and the way to it, as the message ends.
    package var place: String

    /// The error of the type's own code that this one wraps.
    package var cause = ""

    package init(_ kind: Kind, _ path: String, _ place: String, cause: String = "") {
        (self.kind, self.path, self.place, self.cause) = (kind, path, place, cause)
    }

    package init?(_ error: (any Error)?) {
        func failure(_ kind: Kind, _ path: [any CodingKey], _ text: String, _ cause: (any Error)?) -> CodingFailure {
            let place = text.range(of: ", in record ").map { String(text[$0.upperBound...]) }
            return CodingFailure(kind, path.text, place ?? "", cause: cause.map { "\($0)" } ?? "")
        }
        func failure(_ kind: Kind, _ context: DecodingError.Context) -> CodingFailure {
            failure(kind, context.codingPath, context.debugDescription, context.ownError)
        }
        switch error {
        case EncodingError.invalidValue(_, let context)?:
            self = failure(.invalidValue, context.codingPath, context.debugDescription, context.underlyingError)
        case DecodingError.dataCorrupted(let context)?: self = failure(.dataCorrupted, context)
        case DecodingError.typeMismatch(_, let context)?: self = failure(.typeMismatch, context)
        case DecodingError.valueNotFound(_, let context)?: self = failure(.valueNotFound, context)
        case DecodingError.keyNotFound(let key, let context)?: self = failure(.keyNotFound(key.stringValue), context)
        default: return nil
        }
    }

    /// The error that a call throws; nil if it throws none of Swift's coders.
    package static func of(_ call: () throws -> Any) -> CodingFailure? {
        do {
            _ = try call()
            return nil
        } catch {
            return CodingFailure(error)
        }
    }
}

extension DecodingError.Context {
    /// The error of the type's own code, inside the mark of a stored record.
    package var ownError: (any Error)? {
        let error = underlyingError as? RecordError
        return error?.code == .unreadableRecord ? error?.underlyingError : underlyingError
    }
}

extension [any CodingKey] {
    /// The keys with dots between them.
    package var text: String { map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") }
}
