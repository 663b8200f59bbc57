extension DecodingSession {
    /// The error for a value of the wrong kind.
    ///
    /// - Parameters:
    ///   - type: What is wanted.
    ///   - value: What is there.
    ///   - level: The level where it is; nil if the value stands in the innermost level.
    ///   - key: The key of the value in the level.
    func mismatch(
        _ type: Any.Type, _ value: Record.Value, in level: DecodingLevel? = nil, _ key: (any CodingKey)? = nil
    ) -> any Error {
        let key = level == nil ? innermostLevel?.currentKey : key
        let level = level ?? innermostLevel
        let path = (level?.codingPath ?? []) + (key.map { [$0] } ?? [])
        let error: DecodingError
        switch value {
        case .null:
            error = .valueNotFound(type, .init(codingPath: path, debugDescription: "\(type) is wanted, found null"))
        case .int, .double, .string:
            let reason = "\(type) is wanted, found \(value.kind): \(value.excerpt)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        case .bool, .date, .bytes, .location, .reference, .list, .map:
            let reason = "\(type) is wanted, found \(value.kind)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        }
        guard let level else { return error }
        return placedAnew(error, level)
    }

    /// Gives an error that was just made its place.
    func placedAnew(_ error: any Error, _ level: DecodingLevel) -> any Error {
        isPlaced = false
        return placed(error, level)
    }

    /// Gives an error its place, at the innermost level that it passes.
    func placed(_ error: any Error, _ level: DecodingLevel) -> any Error {
        if isPlaced || error is RecordError || error is UnfetchedRecord || error is CancellationError { return error }
        isPlaced = true
        let place = level.place(of: level.currentKey)
        let suffix = place.recordSuffix
        func context(_ old: DecodingError.Context) -> DecodingError.Context {
            .init(
                codingPath: old.codingPath, debugDescription: old.debugDescription + suffix,
                underlyingError: old.underlyingError)
        }
        switch error {
        case DecodingError.typeMismatch(let type, let old): return DecodingError.typeMismatch(type, context(old))
        case DecodingError.valueNotFound(let type, let old): return DecodingError.valueNotFound(type, context(old))
        case DecodingError.keyNotFound(let key, let old): return DecodingError.keyNotFound(key, context(old))
        case DecodingError.dataCorrupted(let old): return DecodingError.dataCorrupted(context(old))
        default:
            return DecodingError.dataCorrupted(
                .init(
                    codingPath: place.codingPath, debugDescription: "decoding failed: \(error)\(suffix)",
                    underlyingError: error))
        }
    }
}

extension Record.Value {
    /// The beginning of a number's or text's content, for errors.
    fileprivate var excerpt: String {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.count > 40 ? "'\(value.prefix(40))…'" : "'\(value)'"
        case .null, .bool, .date, .bytes, .location, .reference, .list, .map: ""
        }
    }
}
