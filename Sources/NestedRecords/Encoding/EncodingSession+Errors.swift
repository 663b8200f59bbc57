extension EncodingSession {
    /// Gives an error its place, at the innermost frame that it passes.
    ///
    /// An error that ends a record is kept: the record would be missing if a type went on without it.
    func placed(_ error: any Error, _ frame: EncodingFrame, _ value: Any) -> any Error {
        if let failure { return failure }
        let isRecord = frame.recordPosition >= 0
        let placed: any Error
        switch error {
        case let error as RecordError where error.hasContext:
            placed = error
        case is EncodingConflict, is CancellationError:
            placed = error
        case EncodingError.invalidValue(let value, let context) where isRecord:
            let suffix = frame.place(ofErrorAt: context.codingPath).recordSuffix
            let context = EncodingError.Context(
                codingPath: context.codingPath,
                debugDescription: context.debugDescription.hasSuffix(suffix)
                    ? context.debugDescription : context.debugDescription + suffix,
                underlyingError: context.underlyingError)
            placed = EncodingError.invalidValue(value, context)
        case is EncodingError:
            placed = error
        default:
            let place = frame.place(of: frame.currentKey)
            let context = EncodingError.Context(
                codingPath: place.codingPath,
                debugDescription: "encoding failed: \(error)\(isRecord ? place.recordSuffix : "")",
                underlyingError: error)
            placed = EncodingError.invalidValue(value, context)
        }
        return isRecord ? fail(placed) : placed
    }
}
