extension DecodingSession {
    /// A value of another kind, where the options allow to read it as the type.
    ///
    /// - Parameters:
    ///   - value: What is there.
    ///   - frame: The frame where it is; nil if the value is in the innermost frame.
    ///   - key: The key of the value in the frame.
    @inline(never)
    func readLeniently<Scalar: FieldScalar>(
        _ value: Record.Value, in frame: DecodingFrame? = nil, _ key: (any CodingKey)? = nil
    ) throws -> Scalar {
        if options.scalarStrategy == .lenient, let scalar = Scalar.readLeniently(value) { return scalar }
        throw mismatch(Scalar.self, value, in: frame, key)
    }

    /// The error for a value of the wrong kind.
    ///
    /// - Parameters:
    ///   - type: The expected type.
    ///   - value: What is there.
    ///   - frame: The frame where it is; nil if the value is in the innermost frame.
    ///   - key: The key of the value in the frame.
    func mismatch(
        _ type: Any.Type, _ value: Record.Value, in frame: DecodingFrame? = nil, _ key: (any CodingKey)? = nil
    ) -> any Error {
        let key = frame == nil ? innermostFrame?.currentKey : key
        let frame = frame ?? innermostFrame
        let path = (frame?.codingPath ?? []) + (key.map { [$0] } ?? [])
        let error: DecodingError
        switch value {
        case .null:
            error = .valueNotFound(type, .init(codingPath: path, debugDescription: "\(type) was expected, found null"))
        case .int, .double, .string:
            let reason = "\(type) was expected, found \(value.kind): \(value.excerpt)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        case .bool, .date, .bytes, .location, .reference, .list, .map, .serverTimestamp:
            let reason = "\(type) was expected, found \(value.kind)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        }
        guard let frame else { return error }
        return placed(error, frame)
    }

    /// Gives an error its place, at the innermost frame that it passes.
    func placed(_ error: any Error, _ frame: DecodingFrame) -> any Error {
        switch error {
        case let error as RecordError where error.hasContext: return error
        case is UnfetchedRecord, is CancellationError: return error
        case DecodingError.typeMismatch(let type, let context):
            return DecodingError.typeMismatch(type, placed(context, frame))
        case DecodingError.valueNotFound(let type, let context):
            return DecodingError.valueNotFound(type, placed(context, frame))
        case DecodingError.keyNotFound(let key, let context):
            return DecodingError.keyNotFound(key, placed(context, frame, key))
        case DecodingError.dataCorrupted(let context):
            return DecodingError.dataCorrupted(placed(context, frame))
        default:
            let context = DecodingError.Context(
                codingPath: frame.place(of: frame.currentKey).codingPath, debugDescription: "decoding failed: \(error)",
                underlyingError: error)
            return DecodingError.dataCorrupted(placed(context, frame))
        }
    }

    private func placed(
        _ context: DecodingError.Context, _ frame: DecodingFrame, _ key: (any CodingKey)? = nil
    ) -> DecodingError.Context {
        // The levels further out meet it again; an error of theirs may come after one that a type passed over.
        if placedDescriptions.contains(context.debugDescription) { return context }
        let path = context.codingPath + (key.map { [$0] } ?? [])
        let description = context.debugDescription + frame.place(ofErrorAt: path).recordSuffix
        placedDescriptions.insert(description)
        return .init(
            codingPath: context.codingPath, debugDescription: description, underlyingError: context.underlyingError)
    }
}

extension Record.Value {
    /// The beginning of a number's or string's content, for errors.
    fileprivate var excerpt: String {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.count > 40 ? "'\(value.prefix(40))…'" : "'\(value)'"
        case .null, .bool, .date, .bytes, .location, .reference, .list, .map, .serverTimestamp: ""
        }
    }
}
