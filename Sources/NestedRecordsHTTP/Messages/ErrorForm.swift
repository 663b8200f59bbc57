import NestedRecords

/// An error in a message.
///
/// A record in the database that is part of the error is the record of the message; the client has its own.
enum ErrorForm {
    static func message(of error: any Error) -> Message {
        var records: [Record] = []
        if let record = (error as? RecordDatabaseError)?.serverRecord { records = [record] }
        return Message(["error": .map(map(of: error))], records: records)
    }

    static func map(of error: any Error) -> Record.Fields {
        var map: Record.Fields = [:]
        func add(_ name: String, _ value: Record.Value?) {
            if let value { map = map.adding(name, value) }
        }
        func add(_ error: some ClassifiedError) {
            add("code", .string(error.code.rawValue))
            add("kind", .string(error.kind.rawValue))
            add("isTransient", error.isTransient ? true : nil)
            add("reason", error.reason.map { .string($0) })
            add("record", error.recordID.map { Record.Value($0) })
        }
        func add(_ context: RecordContext) {
            add("holder", context.record.map { Record.Value($0) })
            add("field", context.field.map { .string($0) })
            if !context.codingPath.isEmpty { add("path", ErrorPath.value(of: context.codingPath)) }
            if !context.chain.isEmpty {
                add("chain", .list(context.chain.map { [Record.Value($0.record), .string($0.path)] }))
            }
        }
        switch error {
        case let error as RecordDatabaseError:
            add("error", "database")
            add(error)
            add(error.context)
            add("hint", error.hint.map { .string($0) })
            add("retryAfter", error.retryAfter.map { .double($0.inSeconds) })
            add("detail", error.detail.flatMap(detail))
            if !error.failures.isEmpty {
                add(
                    "failures",
                    .list(error.failures.map { [Record.Value($0.key), .map(Self.map(of: $0.value))] }))
            }
        case let error as RecordError:
            add("error", "record")
            add(error)
            add(error.context)
        default:
            // The message of another error may have internals of the server.
            add("error", "database")
            add(ServiceError.serverFault)
        }
        return map
    }

    private static func detail(_ detail: RecordDatabaseError.Detail) -> Record.Value? {
        switch detail {
        case .versions(let client, let server, let expected):
            var map: Record.Fields = ["hasClient": .bool(client != nil), "hasServer": .bool(server != nil)]
            if let expected { map = map.adding("expected", .list(expected.parts)) }
            return ["versions": .map(map)]
        case .saved(let saved): return ["saved": SavedForm.value(of: saved)]
        case .deleted(let ids): return ["deleted": Record.Value(ids)]
        case .references(let references):
            return [
                "references": .list(
                    references.map { reference in
                        [
                            Record.Value(reference.target), reference.context.record.map { Record.Value($0) } ?? .null,
                            ErrorPath.value(of: reference.context.codingPath),
                        ]
                    })
            ]
        case .missing(let capabilities): return ["missing": .int(Int64(capabilities.rawValue))]
        case .size(let count, let limit): return ["size": [Record.Value(count), Record.Value(limit)]]
        case .expiry(let expiry): return ["expiry": .string(expiry.rawValue)]
        case .batch(let id): return ["batch": .string(id)]
        case .offset, .version, .system: return nil
        }
    }
}

// MARK: Reading

extension ErrorForm {
    /// The error of a message.
    ///
    /// - Parameters:
    ///   - map: The map of the error.
    ///   - records: The records of the message.
    ///   - batch: The batch that was sent; nil for other calls.
    /// - Throws: ``MalformedMessage``.
    static func error(from map: Record.Fields, records: [Record], batch: RecordBatch?) throws -> any Error {
        let isOfRecords = try map.text("error") == "record"
        let (code, kind) = (try map.text("code"), ErrorKind(rawValue: try map.text("kind")))
        let isTransient = try map.optional("isTransient", \.bool) ?? false
        let reason = try map.optional("reason", \.text)
        let id = try map.optional("record") { try $0.id }
        let context = RecordContext(
            record: try map.optional("holder") { try $0.id }, field: try map.optional("field", \.text),
            codingPath: try map.optional("path", ErrorPath.path) ?? [],
            chain: try map.list("chain") { value in
                guard let parts = value.list, parts.count == 2, let id = try parts[0].id, let path = parts[1].text
                else { return nil }
                return RecordContext.Step(record: id, path: path)
            })
        if isOfRecords {
            return RecordError(
                RecordError.Code(code, kind: kind ?? .unsupported, isTransient: isTransient), reason: reason,
                recordID: id, context: context)
        }
        var error = RecordDatabaseError(
            RecordDatabaseError.Code(code, kind: kind ?? .unsupported, isTransient: isTransient), reason: reason,
            recordID: id, context: context, hint: try map.optional("hint", \.text), isTransient: isTransient)
        error.detail = try map.optional("detail", \.members).flatMap {
            try detail($0, saving: batch?.saves.first { $0.id == id }, stored: records.first)
        }
        error.retryAfter = try map.optional("retryAfter", \.double).map { .seconds(max(0, min($0, 86_400))) }
        for (id, failure) in try map.list("failures", failure) { error.failures[id] = failure }
        return error
    }

    private static func failure(_ value: Record.Value) throws -> (Record.ID, any Error)? {
        guard let parts = value.list, parts.count == 2, let id = try parts[0].id, let map = parts[1].members else {
            return nil
        }
        return (id, try error(from: map, records: [], batch: nil))
    }

    private static func detail(
        _ map: Record.Fields, saving client: Record?, stored: Record?
    ) throws -> RecordDatabaseError.Detail? {
        if let versions = try map.optional("versions", \.members) {
            return .versions(
                client: try versions.required("hasClient", \.bool) ? client : nil,
                server: try versions.required("hasServer", \.bool) ? stored : nil,
                expected: try versions.optional("expected") { $0.list.flatMap { RecordBatch.Version($0[...]) } })
        }
        if let saved = try map.optional("saved", SavedForm.saved) { return .saved(saved) }
        if map["deleted"] != nil { return .deleted(try map.ids("deleted")) }
        if map["references"] != nil {
            return .references(
                try map.list("references") { value in
                    guard let parts = value.list, parts.count == 3, let target = try parts[0].id else { return nil }
                    let path = ErrorPath.path(parts[2]) ?? []
                    return DanglingReference(
                        target: target,
                        context: RecordContext(
                            record: try parts[1].id, field: path.first?.stringValue, codingPath: path))
                })
        }
        if let bits = try map.optional("missing", \.integer) {
            return .missing(RecordCapabilities(rawValue: UInt32(truncatingIfNeeded: bits)))
        }
        if let size = try map.optional("size", \.list), size.count == 2, let count = size[0].integer,
            let limit = size[1].integer
        {
            return .size(count, limit: limit)
        }
        if let expiry = try map.optional("expiry", \.text) {
            return ChangeToken.Expiry(rawValue: expiry).map { .expiry($0) }
        }
        return try map.optional("batch", \.text).map { .batch($0) }
    }
}

/// A coding path as a list of names and indices.
enum ErrorPath {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }

        init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    }

    static func value(of path: [any CodingKey]) -> Record.Value {
        .list(
            path.map { key in
                // The key of a dictionary may be a number too, and is a name in a path.
                guard let index = key.intValue, key.stringValue == "Index \(index)" else {
                    return .string(key.stringValue)
                }
                return Record.Value(index)
            })
    }

    static func path(_ value: Record.Value) -> [any CodingKey]? {
        value.list.map { list in
            list.compactMap { $0.integer.map { Key(intValue: $0) } ?? $0.text.map { Key(stringValue: $0) } }
        }
    }
}
