/// Why a record cannot be decoded, for when it is met again: on another path then, of which the error must tell.
struct RecordFailure {
    private let error: any Error
    private let thrown: ThrownError?

    /// How much of the error's path leads to the record; nil where that is not to be replaced.
    private let length: (keys: Int, records: Int)?

    /// To look for the length in each of many records, one in another, would take a time that grows with the square.
    private static let deepestReplaced = 256

    /// Notes the failure of a record to which the value in a frame refers.
    init(_ error: any Error, _ thrown: ThrownError?, in frame: DecodingFrame) {
        (self.error, self.thrown) = (error, thrown)
        length = frame.state.depth <= Self.deepestReplaced ? frame.lengthOfPath : nil
    }

    /// The error with the path to the value in a frame that refers to the record now.
    func again(in frame: DecodingFrame) -> (error: any Error, thrown: ThrownError?) {
        guard let length else { return (error, thrown) }
        let place = frame.placeOfNextValue
        func moved(_ path: [any CodingKey]) -> [any CodingKey] {
            // A type may give its error any path.
            path.count < length.keys ? path : place.codingPath + path.dropFirst(length.keys)
        }
        func moved(_ context: RecordContext) -> RecordContext {
            // The error may be one of the reference itself.
            guard context.chain.count > length.records else { return place }
            return RecordContext(
                record: context.record, field: context.field, codingPath: moved(context.codingPath),
                chain: place.chain + context.chain.dropFirst(length.records))
        }
        let error: any Error =
            switch error {
            case let error as RecordError where !error.context.chain.isEmpty:
                error.with(context: moved(error.context))
            case let error as DecodingError:
                error.mapContext {
                    DecodingError.Context(
                        codingPath: moved($0.codingPath), debugDescription: $0.debugDescription,
                        underlyingError: $0.underlyingError)
                }
            default: error
            }
        let thrown = thrown.map {
            ThrownError(thrownError: error, codingPath: moved($0.codingPath), place: $0.place.map(moved))
        }
        return (error, thrown)
    }
}

extension DecodingError {
    /// The same error with another context.
    func mapContext(_ transform: (Context) -> Context) -> DecodingError {
        switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, transform(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, transform(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, transform(context))
        case .dataCorrupted(let context): .dataCorrupted(transform(context))
        @unknown default: self
        }
    }
}
