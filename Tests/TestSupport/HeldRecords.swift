package import NestedRecords

extension InMemoryRecordDatabase {
    /// A database with a value in it, and the graph that is in it.
    package static func holding(
        _ value: some RecordEncodable, batchLimit: Int = .max
    ) async throws -> (database: InMemoryRecordDatabase, graph: RecordGraph) {
        let database = InMemoryRecordDatabase(batchLimit: batchLimit)
        let graph = try RecordEncoder().encode(value)
        try await database.save(graph)
        let records = try await database.records(ofType: nil, including: .system).reduce(into: []) { $0.append($1) }
        return (database, try RecordGraph(records, roots: graph.roots))
    }

    /// A database that holds these records.
    package static func holding(_ records: some Sequence<Record>, batchLimit: Int = .max) async throws -> Self {
        let database = Self(batchLimit: batchLimit)
        try await database.save(RecordGraph(records))
        return database
    }

    /// Sets one field of a record, as another client would.
    package func set(_ field: String, of id: String, to value: Record.Value?) async throws {
        var record = try await fetch(id)
        record[field] = value
        _ = try await commit(RecordBatch(saving: [record], savePolicy: .overwrite))
    }

    /// The record with this ID, or an error.
    package func fetch(_ id: String) async throws -> Record {
        let id = try Record.ID(id)
        guard let record = try await record(for: id) else { throw RecordError(.recordNotFound, recordID: id) }
        return record
    }

    /// The texts of the IDs of all records, in order.
    package var texts: [String] {
        get async throws {
            try await records(ofType: nil, including: .system).reduce(into: []) { $0.append("\($1.id)") }
        }
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous call gives.
    package init(_ call: () async throws -> Success) async {
        do {
            self = .success(try await call())
        } catch {
            self = .failure(error)
        }
    }
}

extension RecordEncoder {
    /// An encoder for instances that contain each other.
    package static var allowingCycles: RecordEncoder {
        var encoder = RecordEncoder()
        encoder.coding.allowsReferenceCycles = true
        return encoder
    }
}
