import Foundation

@testable import NestedRecords
@testable import TestSupport

/// The error of the database, thrown after a commit that it has made or instead of an answer.
private struct NoAnswer: Error {}

/// A database with wrong answers at random.
final class LyingDatabase: RecordDatabase {
    enum Lie: CaseIterable {
        case missing, twice, surplus, otherID, values, references, error, nothing, endless, metadata, slow, order

        /// Whether this lie keeps the answer true.
        var isHarmless: Bool { self == .slow || self == .order }
    }

    private let base: InMemoryRecordDatabase
    private let lies: [Lie]
    private let state: Lock<(random: SplitMix64, count: Int)>

    init(_ base: InMemoryRecordDatabase, lies: [Lie], random: SplitMix64) {
        (self.base, self.lies) = (base, lies)
        state = Lock((random, 0))
    }

    /// The number of wrong answers.
    var lieCount: Int { state.withLock { $0.count } }

    /// The next lie to tell, and random numbers for it.
    private func next() -> (lie: Lie, random: SplitMix64)? {
        state.withLock { state in
            guard !lies.isEmpty, state.random.chance(oneIn: 3) else { return nil }
            let lie = state.random.pick(lies)
            if !lie.isHarmless { state.count += 1 }
            return (lie, SplitMix64(seed: state.random.next()))
        }
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try await distort(try await base.records(for: ids), ids)
    }

    func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(reading: { [self] in
            var all: [Record] = []
            for try await record in base.storedRecords(ofType: type) { all.append(record) }
            return try await distort(all, all.map(\.id))
        })
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        var answer = try await base.commit(batch)
        guard let (lie, numbers) = next() else { return answer }
        var random = numbers
        switch lie {
        case .error: throw NoAnswer()
        case .nothing: return [:]
        case .missing: if let id = answer.keys.sorted().last { answer[id] = nil }
        case .metadata, .values: for id in answer.keys { answer[id]?.changeTag = "\(random.next() % 9)" }
        case .surplus:
            answer[try Record.ID("Nobody/1")] = Record.Metadata(
                changeTag: "1", creationDate: Date(), modificationDate: Date())
        default: break
        }
        return answer
    }

    private func distort(_ truth: [Record], _ ids: [Record.ID]) async throws -> [Record] {
        guard let (lie, numbers) = next() else { return truth }
        var (answer, random) = (truth, numbers)
        let position = answer.isEmpty ? nil : Int.random(in: answer.indices, using: &random)
        switch lie {
        case .slow: for _ in 0..<100 { await Task.yield() }
        case .order: answer.shuffle(using: &random)
        case .error: throw NoAnswer()
        case .nothing: return []
        case .missing: if let position { answer.remove(at: position) }
        case .twice: if let position { answer.append(answer[position]) }
        case .surplus: answer.append(try RandomRecord.any(&random))
        case .otherID:
            if let position {
                answer[position] = Record(
                    id: try Record.ID(type: answer[position].id.type, name: "x\(random.next() % 9)"),
                    checkedFields: answer[position].fields, metadata: answer[position].metadata)
            }
        case .values:
            if let position {
                let others = try RandomRecord.any(&random).fields.map { $0.value }
                for (name, _) in answer[position].fields where random.chance(oneIn: 2) {
                    answer[position][name] = others.randomElement(using: &random)
                }
            }
        case .references: if let position { answer[position] = refer(answer[position], to: random.pick(ids)) }
        case .metadata: if let position { answer[position].metadata = nil }
        case .endless:
            for id in ids where random.chance(oneIn: 2) {
                let children: [Record.Value] = try (0..<3).map { _ in
                    .reference(Record.Reference(to: try Record.ID(type: id.type, name: "\(random.next() >> 1)")))
                }
                answer.removeAll { $0.id == id }
                answer.append(try Record(id: id, fields: ["name": .string("x"), "children": .list(children)]))
            }
        }
        return answer
    }

    /// The record, with all of its references changed to another target.
    private func refer(_ record: Record, to id: Record.ID) -> Record {
        func change(_ value: Record.Value) -> Record.Value {
            switch value {
            case .reference: .reference(Record.Reference(to: id))
            case .list(let values): .list(values.map(change))
            default: value
            }
        }
        var record = record
        for (name, value) in record.fields { record[name] = change(value) }
        return record
    }
}

extension RandomRecord {
    fileprivate static func any(_ random: inout SplitMix64) throws -> Record {
        var maker = RandomRecord(seed: random.next())
        return try maker.record()
    }
}
