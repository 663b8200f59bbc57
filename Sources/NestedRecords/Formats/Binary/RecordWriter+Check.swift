extension RecordWriter {
    /// Throws if one of the records cannot be written, before any is written.
    ///
    /// Fields cannot have equal names, so that names are not compared here: that takes as long as writing the record.
    ///
    /// - Throws: `RecordError.Code.depthLimitExceeded` or `RecordError.Code.invalidKey`, like
    ///   writing.
    package static func check(_ records: [Record]) throws(RecordError) {
        // By position: taking a record out of the array would copy ten references.
        for position in records.indices where !records[position].fields.canBeWritten {
            var writer = RecordWriter()
            _ = try writer.bytes(of: records[position])
        }
    }
}

extension Record.Fields {
    fileprivate var canBeWritten: Bool {
        guard !names.contains(where: \.hasTooManyMarks) else { return false }
        for value in values {
            switch value {
            case .list, .map: if !value.canBeWritten { return false }
            default: continue
            }
        }
        return true
    }
}

extension Record.Value {
    /// Whether a list or a map can be written; without recursion, since values may be nested more deeply than a stack
    /// holds.
    fileprivate var canBeWritten: Bool {
        var open = [(value: self, depth: 1)]
        while let (value, depth) = open.popLast() {
            guard depth <= BinaryFormat.maximumNesting else { return false }
            let inner: [Record.Value]
            switch value {
            case .list(let values): inner = values
            case .map(let fields):
                guard !fields.names.contains(where: \.hasTooManyMarks) else { return false }
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
