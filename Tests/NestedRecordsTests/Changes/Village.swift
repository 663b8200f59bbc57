import NestedRecords

/// A graph with every kind of nesting: records in lists and alone, shared ones, and values embedded in fields.
struct School: RecordCodable, Identifiable, Equatable {
    struct Address: Codable, Equatable {
        var street: String
        var number: Int?
    }

    var id = "hilltop"
    var name = "Hilltop"
    var visits = 0
    var motto: String?
    var address: Address?
    var director: Pupil?
    var pupils: [Pupil] = []

    /// A school with a director and pupils with these IDs.
    static func sample(pupils ids: [String] = ["ann", "bo"]) -> School {
        School(
            motto: "Onwards", address: Address(street: "Hill Road", number: 1), director: Pupil(id: "dee"),
            pupils: ids.map { Pupil(id: $0) })
    }
}

struct Pupil: RecordCodable, Identifiable, Equatable {
    var id: String
    var age = 7
}

/// A class whose instances may stand in rings.
final class Station: RecordCodable, Identifiable {
    let id: Int
    var name: String
    var next: Station?

    init(_ id: Int, next: Station? = nil) {
        self.id = id
        self.next = next
        name = "Station \(id)"
    }

    /// The stations 1 to `count`, each with the next one, and the last one with the first.
    ///
    /// Who makes a ring must open it again, or it is never freed.
    static func ring(of count: Int) -> (first: Station, last: Station) {
        let last = Station(count)
        let first = (1..<count).reversed().reduce(last) { Station($1, next: $0) }
        last.next = first
        return (first, last)
    }
}

extension InMemoryRecordDatabase {
    /// A database with a value in it, and the graph that is in it.
    static func holding(
        _ value: some RecordEncodable, batchLimit: Int = .max
    ) async throws -> (database: InMemoryRecordDatabase, graph: RecordGraph) {
        let database = InMemoryRecordDatabase(batchLimit: batchLimit)
        let graph = try RecordEncoder().encode(value)
        return (database, graph.updated(with: try await database.save(graph)))
    }

    /// Sets one field of a record, as another client would.
    func set(_ field: String, of id: String, to value: Record.Value?) async throws {
        var record = try await fetch(id)
        record[field] = value
        _ = try await modifyRecords(saving: [record], deleting: [], savePolicy: .automatic)
    }

    /// The record with this ID, or an error.
    func fetch(_ id: String) async throws -> Record {
        let id = try Record.ID(id)
        guard let record = try await record(for: id) else { throw RecordError.recordNotFound(id) }
        return record
    }

    /// The texts of the IDs of all records, in order.
    var texts: [String] {
        get async throws {
            try await records(ofType: nil).reduce(into: []) { $0.append("\($1.id)") }
        }
    }
}
