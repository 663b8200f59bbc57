import NestedRecords

extension QueryOptions {
    /// Calls a closure with each record to print.
    ///
    /// Without an order, records are streamed in the order of the input. With an order, the database queries them
    /// type by type.
    ///
    /// - Throws: `UsageError` also for an unknown type or field: before the first record, or at the end if the input
    ///   can be read only once.
    func forEach(in input: RecordInput, _ body: (Record) throws -> Void) async throws {
        do {
            switch input.source {
            case .database(let database): try await forEach(in: database, of: input, body)
            case .document(let records): try await forEach(in: records, of: input, body)
            case .lines(let file):
                if !order.isEmpty || followsReferences {
                    try await forEach(in: LoadedRecords(file), of: input, body)
                } else {
                    try await forEachLine(of: input, body)
                }
            }
        } catch let error as RecordError {
            throw error.asUsageError
        }
    }

    /// Checks that the types and fields in the options, and other ones, occur in a database.
    ///
    /// - Throws: `UsageError`, and errors of reading.
    func checkNames(in database: any RecordDatabase, of input: RecordInput, and others: [NameUse] = []) async throws {
        var check = NameCheck(names + others, input: input.name)
        try await check.look(into: database) { try await input.types(of: database) }
    }

    private func forEach(
        in database: any RecordDatabase, of input: RecordInput, _ body: (Record) throws -> Void
    ) async throws {
        try await checkNames(in: database, of: input)
        guard order.isEmpty else {
            var found: [Record] = []
            let types = if let type { [type] } else { try await input.types(of: database) }
            for type in types { found += try await database.page(try query(ofType: type)).records }
            if types.count > 1 { found = order.sorted(found) }
            for record in found.prefix(limit ?? .max) { try body(try narrowed(record)) }
            return
        }
        var check = NameCheck([], input: input.name)
        try await forEach(of: database.shownRecords(ofType: type), &check, body) { filter in
            try RecordMatcher(RecordFilterPart(filter, targets: try await database.targets(of: filter).ids))
        }
    }

    private func forEachLine(of input: RecordInput, _ body: (Record) throws -> Void) async throws {
        var check = NameCheck(names, input: input.name)
        if input.canBeReadAgain, !check.isComplete {
            for try await record in input.records() {
                check.note(record)
                if check.isComplete { break }
            }
            try check.finish()
            input.rewind()
            check = NameCheck([], input: input.name)
        }
        try await forEach(of: input.records(ofType: check.isComplete ? type : nil), &check, body) { filter in
            try filter?.checkSize()
            return try RecordMatcher(RecordFilterPart(filter))
        }
    }

    /// Streams the records in the order of the input.
    private func forEach(
        of records: RecordSequence, _ check: inout NameCheck, _ body: (Record) throws -> Void,
        matcher makeMatcher: (RecordFilter?) async throws -> RecordMatcher
    ) async throws {
        if limit == 0 { return }
        var matchers: [String: RecordMatcher] = [:]
        var count = 0
        for try await record in records {
            check.note(record)
            let recordType = record.id.type
            guard (type ?? recordType) == recordType else { continue }
            if matchers[recordType] == nil {
                matchers[recordType] = try await makeMatcher(try filter.filter(ofType: recordType))
            }
            guard matchers[recordType]?.holds(for: record) ?? false else { continue }
            try body(try narrowed(record))
            count += 1
            if count == limit { return }
        }
        try check.finish()
    }
}
