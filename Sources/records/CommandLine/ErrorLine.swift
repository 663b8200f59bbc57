import Foundation

/// The line that is printed for an error.
enum ErrorLine {
    /// The text of an error, with escapes for line breaks and control characters.
    static func text(of error: any Error) -> String {
        let text =
            switch error {
            case let error as DecodingError: decoding(error)
            case EncodingError.invalidValue(_, let context): text(of: context.debugDescription, at: context.codingPath)
            case let error as any LocalizedError: error.errorDescription ?? "\(error)"
            default: "\(error)"
            }
        return text.visible
    }

    private static func decoding(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            text(of: context.debugDescription, at: context.codingPath)
        @unknown default: "\(error)"
        }
    }

    private static func text(of description: String, at path: [any CodingKey]) -> String {
        let place = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return place.isEmpty ? description : "\(description) (at \(place))"
    }
}
