import NestedRecords

extension RecordInput {
    /// The error for a missing record.
    func missing(_ id: Record.ID) -> InputError {
        InputError(input: name, reason: "there is no record \(id); 'records dump' lists all records")
    }

    /// Runs a closure, and adds the name of the input to errors that lack it.
    ///
    /// - Throws: Errors of the closure.
    func naming<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as RecordFormatError {
            throw InputError(input: name, reason: "\(error); 'records verify' lists all damage")
        } catch let error as RepeatedRecord {
            throw InputError(input: name, reason: "\(error)")
        } catch let error as RecordError where error.code == .recordNotFound {
            throw error.recordID.map(missing) ?? error
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
    ///
    /// - Throws: `RecordDatabaseError`.
    func count() async throws -> Int? {
        switch source {
        case .database(let database): try await database.recordCount()
        case .lines: nil
        case .document: nil
        }
    }
}
