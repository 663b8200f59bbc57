import NestedRecords

extension QueryOptions {
    /// Calls a closure with each record to print.
    ///
    /// Without an order, records are streamed in the order of the input, of a database type by type if there are types.
    /// With an order, the database queries them type by type.
    ///
    /// - Throws: `UsageError` also for an unknown type or field: before the first record, or at the end if the input
    ///   can be read only once.
    func forEach(in input: RecordInput, _ body: (Record) async throws -> Void) async throws {
        do {
            try await readEach(of: input, body)
        } catch let error as RecordError {
            throw error.asUsageError
        }
    }

    private func readEach(of input: RecordInput, _ body: (Record) async throws -> Void) async throws {
        if case .lines = input.source, order.isEmpty, !needsAllRecords {
            return try await forEachLine(of: input, body)
        }
        // Rows are printed in two passes.
        if input.canBeReadAgain { input.rewind() }
        let database = try input.database()
        try await resolved(in: database, of: input).forEach(in: database, of: input, body)
    }

    /// Calls a closure with each record of a database; the options are ``resolved(in:of:and:)``.
    func forEach(
        in database: any RecordDatabase, of input: RecordInput, _ body: (Record) async throws -> Void
    ) async throws {
        let size = PathValues.pageSize(for: fields?.paths ?? [])
        try await forEachPage(of: size, in: database, of: input) { page in
            for record in try await narrowed(page, in: database) { try await body(record) }
        }
    }

    /// Calls a closure with pages of the records of a database, with all their fields.
    func forEachPage(
        of size: Int, in database: any RecordDatabase, of input: RecordInput, _ body: ([Record]) async throws -> Void
    ) async throws {
        guard order.isEmpty else {
            var found: [Record] = []
            let types = try await types(in: database, of: input)
            for type in types { found += try await database.page(try query(ofType: type)).records }
            if types.count > 1 { found = order.sorted(found) }
            if let limit { found = Array(found.prefix(limit)) }
            for start in stride(from: 0, to: found.count, by: size) {
                try await body(Array(found[start..<min(found.count, start + size)]))
            }
            return
        }
        var check = NameCheck([], input: input.name)
        var rest = limit ?? .max
        for type in types.isEmpty ? [nil] : types.map({ $0 }) {
            try await forEachPage(of: size, in: database.records(ofType: type), &check, &rest, body) {
                try await database.matcher(for: $0)
            }
        }
    }

    /// The types to query, all if none is chosen.
    func types(in database: any RecordDatabase, of input: RecordInput) async throws -> [String] {
        types.isEmpty ? try await input.types(of: database) : types
    }

    private func forEachLine(of input: RecordInput, _ body: (Record) async throws -> Void) async throws {
        var check = NameCheck(names, input: input.name)
        if input.canBeReadAgain {
            input.rewind()
            if !check.isComplete {
                for try await record in input.records() {
                    check.note(record)
                    if check.isComplete { break }
                }
                try check.finish()
                input.rewind()
                check = NameCheck([], input: input.name)
            }
        }
        var rest = limit ?? .max
        let type = check.isComplete && types.count == 1 ? types[0] : nil
        try await forEachPage(of: 1, in: input.records(ofType: type), &check, &rest) { page in
            for record in try await narrowed(page, in: nil) { try await body(record) }
        } matcher: { filter in
            try filter?.checkSize()
            return try RecordMatcher(RecordFilterPart(filter))
        }
    }

    /// Streams the records in the order of the input, until a number of them is printed.
    private func forEachPage(
        of size: Int, in records: RecordSequence, _ check: inout NameCheck, _ rest: inout Int,
        _ body: ([Record]) async throws -> Void, matcher makeMatcher: (RecordFilter?) async throws -> RecordMatcher
    ) async throws {
        if rest == 0 { return }
        var page: [Record] = []
        var matchers: [String: RecordMatcher] = [:]
        for try await record in records {
            check.note(record)
            let recordType = record.id.type
            guard filter.includes(type: recordType) else { continue }
            if matchers[recordType] == nil {
                matchers[recordType] = try await makeMatcher(try filter.filter(ofType: recordType))
            }
            guard matchers[recordType]?.holds(for: record) ?? false else { continue }
            page.append(record)
            rest -= 1
            guard page.count == size || rest == 0 else { continue }
            try await body(page)
            page.removeAll(keepingCapacity: true)
            if rest == 0 { return }
        }
        if !page.isEmpty { try await body(page) }
        try check.finish()
    }
}
