import NestedRecords
import TestSupport

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

extension School {
    /// A database in which somebody has changed pupils and the school since ours was read.
    static func contested(
        batchLimit: Int = .max
    ) async throws -> (memory: InMemoryRecordDatabase, ours: Stored<School>) {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: batchLimit)
        var ours = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("motto", of: "School/hilltop", to: "Theirs")
        try await memory.set("age", of: "Pupil/ann", to: 11)
        try await memory.set("age", of: "Pupil/bo", to: 12)
        ours.visits = 1
        ours.director?.age = 50
        for index in ours.pupils.indices { ours.pupils[index].age += 1 }
        return (memory, ours)
    }
}
