import NestedRecords
import TestSupport

extension Flat {
    /// A reference to an owner: the record that holds it goes with its target.
    static func owner(_ id: String) throws -> Record.Value {
        .reference(Record.Reference(to: try Record.ID(id), action: .deleteSelf))
    }

    /// A record with an owner in each of the fields.
    static func owned(_ id: String, _ owners: KeyValuePairs<String, String>) throws -> Record {
        try record(id, Record.Fields(owners.map { ($0, try owner($1)) }))
    }

    static func ids(_ texts: [String]) throws -> [Record.ID] { try texts.map { try Record.ID($0) } }
}

extension RecordDatabase {
    /// The texts of the IDs of all records, in the order of the list.
    var contents: [String] {
        get async throws {
            var found: [String] = []
            for try await record in records(ofType: nil) { found.append(record.id.description) }
            return found
        }
    }
}

/// Counts the calls that change a database, and fails one of them.
final class ModifyLog: Sendable {
    private let calls = Locked<[ModifyCall]>([])
    let failingCall: Int?

    init(failingCall: Int? = nil) { self.failingCall = failingCall }

    var deletes: [[String]] { calls.withLock { $0.map { $0.deletes.map(\.description) } } }

    /// A database on top of another one.
    func database(over base: InMemoryRecordDatabase, limit: Int) -> BrokenDatabase {
        BrokenDatabase(
            base: base, limit: limit,
            modify: { [self] base, call in
                let number = calls.withLock { calls in
                    calls.append(call)
                    return calls.count
                }
                if number == failingCall { throw Malfunction() }
                return try await call.perform(in: base)
            })
    }
}
