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
        let size = FieldCatalog.pageSize(for: fields?.paths ?? [])
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
        var catalog = FieldCatalog()
        var rest = limit ?? .max
        for type in types.isEmpty ? [nil] : types.map({ $0 }) {
            try await forEachPage(of: size, in: database.records(ofType: type), database, &catalog, &rest, body)
        }
    }

    /// The types to query, all if none is chosen.
    func types(in database: any RecordDatabase, of input: RecordInput) async throws -> [String] {
        types.isEmpty ? try await input.types(of: database) : types
    }

    private func forEachLine(of input: RecordInput, _ body: (Record) async throws -> Void) async throws {
        var catalog = FieldCatalog(names, named: input.name)
        if input.canBeReadAgain {
            input.rewind()
            if !catalog.isComplete {
                for try await record in input.records() {
                    catalog.note(record)
                    if catalog.isComplete { break }
                }
                try catalog.finish()
                input.rewind()
                catalog = FieldCatalog()
            }
        }
        var rest = limit ?? .max
        let type = catalog.isComplete && types.count == 1 ? types[0] : nil
        try await forEachPage(of: 1, in: input.records(ofType: type), nil, &catalog, &rest) { page in
            for record in try await narrowed(page, in: nil) { try await body(record) }
        }
    }

    /// Streams the records in the order of the input, until a number of them is printed.
    private func forEachPage(
        of size: Int, in records: RecordSequence, _ database: (any RecordDatabase)?, _ catalog: inout FieldCatalog,
        _ rest: inout Int, _ body: ([Record]) async throws -> Void
    ) async throws {
        if rest == 0 { return }
        var page: [Record] = []
        var selector = RecordSelector(filter, in: database)
        for try await record in records {
            catalog.note(record)
            guard try await selector.includes(record) else { continue }
            page.append(record)
            rest -= 1
            guard page.count == size || rest == 0 else { continue }
            try await body(page)
            page.removeAll(keepingCapacity: true)
            if rest == 0 { return }
        }
        if !page.isEmpty { try await body(page) }
        try catalog.finish()
    }
}
