import Foundation
import NestedRecords
import TestSupport

@testable import NestedRecordsSync

/// The edits of a simulation, and what must have become of them in the end.
struct EditJournal {
    struct Written: Hashable {
        let id: Record.ID
        let field: String
        let value: Record.Value
    }

    struct Member: Hashable {
        let id: Record.ID
        let element: Record.Value
    }

    /// The values that were written.
    private(set) var written: Set<Written> = []

    /// The values that a writer who had seen them has replaced.
    private(set) var superseded: Set<Written> = []

    private(set) var counters: [Record.ID: Int64] = [:]
    private(set) var members: Set<Member> = []
    private(set) var removed: Set<Member> = []
    private(set) var deleted: Set<Record.ID> = []

    /// The records whose sums and members cannot be known: two were made under one name.
    private(set) var collided: Set<Record.ID> = []

    private(set) var count: Int64 = 0

    static let texts = ["a", "b", "d"]

    /// Makes a random edit of a database.
    ///
    /// - Parameters:
    ///   - random: The stream of random numbers of the edits.
    ///   - options: What may be edited.
    mutating func edit(_ replica: Replica, _ random: inout SplitMix64, _ options: SimulationOptions) async throws {
        count += 1
        let database = replica.database
        if options.hasPairs, replica.number == options.databaseCount - 1 {
            let pair = try ["x", "y"].map {
                try Record(id: Record.ID(type: "Pair", name: $0), fields: ["value": .int(count)])
            }
            try await database.commit(RecordBatch(saving: pair, savePolicy: .overwrite))
            return
        }
        var records: [Record] = []
        for try await record in database.records(ofType: "R") { records.append(record) }
        if options.hasOneWriter { records.removeAll { $0["owner"] != .int(Int64(replica.number)) } }
        let choice = Int.random(in: 0..<100, using: &random)
        if records.isEmpty || choice < 15 { return try await insert(into: replica, &random, options) }
        var record = random.pick(records.sorted { $0.id < $1.id })
        let id = record.id
        let value = Record.Value.int(count)
        switch choice {
        case ..<55:
            var (field, value) = (random.pick(Self.texts), value)
            if options.hasAssets, random.chance(oneIn: 2) {
                let store = RecordStore(database)
                // Two edits after each other have the same content.
                (field, value) = ("p", .asset(try await store.assets.add(Data("photo \(count / 2)".utf8))))
            }
            if let old = record[field] { superseded.insert(Written(id: id, field: field, value: old)) }
            record[field] = value
            written.insert(Written(id: id, field: field, value: value))
        case ..<72:
            guard options.hasCounters, case .int(let number) = record["c"] ?? 0 else { return }
            record["c"] = .int(number + 1)
            counters[id, default: 0] += 1
        case ..<91:
            guard options.hasLists, case .list(var list) = record["l"] ?? [] else { return }
            let kind = Int.random(in: 0..<3, using: &random)
            if kind == 0 || list.isEmpty {
                list.insert(value, at: Int.random(in: 0...list.count, using: &random))
                members.insert(Member(id: id, element: value))
            } else {
                let element = list.remove(at: Int.random(in: list.indices, using: &random))
                if kind == 1 {
                    removed.insert(Member(id: id, element: element))
                } else {
                    list.insert(element, at: Int.random(in: 0...list.count, using: &random))
                }
            }
            record["l"] = .list(list)
        default:
            guard options.hasDeletions else { return }
            for (field, value) in record.fields {
                superseded.insert(Written(id: id, field: field, value: value))
                if case .list(let list) = value {
                    for element in list { removed.insert(Member(id: id, element: element)) }
                }
            }
            deleted.insert(id)
            try await database.commit(RecordBatch(deletingAnyVersionOf: [id]))
            return
        }
        try await database.commit(RecordBatch(saving: [record]))
    }

    private mutating func insert(
        into replica: Replica, _ random: inout SplitMix64, _ options: SimulationOptions
    ) async throws {
        let collides = options.hasCollisions && random.chance(oneIn: 2)
        let name = collides ? "same\(Int.random(in: 0..<3, using: &random))" : "\(count)"
        let id = try Record.ID(type: "R", name: name)
        let value = Record.Value.int(count)
        let owner = Record.Value.int(Int64(replica.number))
        let record = try Record(id: id, fields: ["a": value, "c": 0, "l": [], "owner": owner])
        if try await replica.database.record(for: id) != nil { return }
        if collides { collided.insert(id) }
        try await replica.database.commit(RecordBatch(saving: [record]))
        written.insert(Written(id: id, field: "a", value: value))
        counters[id] = counters[id] ?? 0
    }

    /// Forgets edits of which a restored backup knows nothing, unless another database has them.
    mutating func forget(_ lost: Set<Written>) { written.subtract(lost) }

    /// What is wrong with the final contents.
    func faults(_ contents: [Record.ID: Record.Fields], _ conflicts: [SyncConflict], _ options: SimulationOptions)
        -> [String]
    {
        var faults: [String] = []
        var logged: Set<Written> = []
        for conflict in conflicts {
            for fields in [conflict.local, conflict.remote].compactMap(\.self) {
                for (field, value) in fields {
                    logged.insert(Written(id: conflict.recordID, field: field, value: value))
                }
            }
        }
        for value in written.subtracting(superseded).subtracting(logged)
        where contents[value.id]?[value.field] != value.value {
            faults.append("the value \(value.value) of \(value.id).\(value.field) is lost")
        }
        for (id, fields) in contents where !deleted.contains(id) && !collided.contains(id) {
            guard case .list(let list)? = fields["l"] else { continue }
            if Set(list).count != list.count { faults.append("\(id) has an element twice") }
            for element in list where removed.contains(Member(id: id, element: element)) {
                faults.append("a removed element of \(id) is back")
            }
            if options.hasCounters, fields["c"] != .int(counters[id] ?? 0) {
                faults.append("the counter of \(id) is \(fields["c"].orUnknown), not \(counters[id] ?? 0)")
            }
        }
        for member in members.subtracting(removed) where !deleted.contains(member.id) && !collided.contains(member.id) {
            guard case .list(let list)? = contents[member.id]?["l"] else {
                faults.append("the record \(member.id) is lost")
                continue
            }
            if !list.contains(member.element) { faults.append("an element of \(member.id) is lost") }
        }
        if options.hasOneWriter, !conflicts.isEmpty { faults.append("a writer conflicts with itself") }
        return faults
    }
}
