@_spi(Engines) import NestedRecords

extension RecordInput {
    /// The error for missing records, with a record of the same name and another type, or the types that there are.
    ///
    /// - Parameter database: The result of ``database()``; lines cannot be read again.
    func missing(_ ids: [Record.ID], in database: (any RecordDatabase)? = nil) async throws -> InputError {
        let names = ids.map(\.description).joined(separator: ", ")
        var database = database
        if database == nil, case .database(let open) = source { database = open }
        guard let id = ids.first, let database else {
            return InputError(input: name, reason: "there is no record \(names)")
        }
        let types = try await types(of: database)
        let spellings = id.name.otherSpellings.compactMap { try? Record.ID(type: id.type, name: $0) }
        let others = spellings + types.compactMap { try? Record.ID(type: $0, name: id.name) }
        let found = try await database.recordsByID(for: others)
        var hint = ""
        if let other = others.first(where: { found[$0] != nil }) {
            hint = "; did you mean \(other)?"
        } else if !types.contains(where: { $0.utf8.elementsEqual(id.type.utf8) }) {
            hint = "; \(types.listed)"
        }
        return InputError(input: name, reason: "there is no record \(names)\(hint)")
    }

    /// Runs a closure, and adds the name of the input to errors that lack it.
    func naming<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as RecordFormatError {
            throw InputError(input: name, reason: "\(error); 'records verify' lists all damage")
        } catch let error as RepeatedRecord {
            throw InputError(input: name, reason: "\(error)")
        } catch let error as RecordError where error.code == .recordNotFound {
            guard let id = error.recordID else { throw error }
            throw try await missing([id])
        }
    }

    /// The records one by one; errors name the input.
    func namedRecords() -> RecordSequence { naming(records()) }

    /// Records whose errors name the input.
    func naming(_ records: RecordSequence) -> RecordSequence {
        RecordSequence { NamedRecords(input: self, records: records.makeAsyncIterator()) }
    }

    private struct NamedRecords: AsyncIteratorProtocol {
        let input: RecordInput
        var records: RecordSequence.Iterator

        mutating func next() async throws -> Record? { try await input.naming { try await records.next() } }
    }

    /// The number of records; nil if it is unknown before they are read.
    func count() async throws -> Int? {
        switch source {
        case .database(let database): try await database.recordCount()
        case .lines: nil
        case .document: nil
        }
    }
}

extension [String] {
    /// The types of records in words, of many the first.
    var listed: String {
        if isEmpty { return "there are no records" }
        let (most, count) = (12, count)
        let shown = prefix(most).joined(separator: ", ")
        return "the types are \(shown)" + (count > most ? " and \((count - most).grouped) more" : "")
    }
}
