import Foundation
package import NestedRecords

/// Makes batches for few records, with versions that are mostly right.
package struct RandomBatches {
    private var generator: SplitMix64

    /// The change tags that each record has had.
    private var tags: [Record.ID: [String]] = [:]

    package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// The next batch.
    package mutating func next() throws -> RecordBatch {
        var batch = RecordBatch(savePolicy: generator.pick(SavePolicy.allCases))
        for number in 0..<5 where generator.chance(oneIn: 3) {
            let id = try Record.ID("\(number % 2 == 0 ? "A" : "B")/\(number)")
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                var record = try Record(id: id, fields: ["n": .int(Int64.random(in: 0...9, using: &generator))])
                if case .changeTag(let tag) = version(of: id) {
                    record.metadata = Record.Metadata(
                        changeTag: tag, creationDate: .distantPast, modificationDate: .distantPast)
                }
                batch.saves.append(record)
            case 2: batch.deletions.append(RecordBatch.VersionedID(id, version: version(of: id)))
            default: batch.conditions.append(RecordBatch.VersionedID(id, version: version(of: id)))
            }
        }
        return batch
    }

    /// Notes what a database has answered to a batch.
    package mutating func note(_ answer: Result<[Record.ID: Record.Metadata], any Error>) {
        guard case .success(let saved) = answer else { return }
        for (id, metadata) in saved { tags[id, default: []].append(metadata.changeTag) }
    }

    private mutating func version(of id: Record.ID) -> RecordBatch.Version {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: .any
        case 1: .missing
        case 2: (tags[id]?.randomElement(using: &generator)).map { .changeTag($0) } ?? .missing
        default: tags[id]?.last.map { .changeTag($0) } ?? .missing
        }
    }
}

extension Result where Success == [Record.ID: Record.Metadata], Failure == any Error {
    /// What a database answers to a batch.
    package init(of batch: RecordBatch, in database: some RecordDatabase) async {
        do {
            self = .success(try await database.commit(batch))
        } catch {
            self = .failure(error)
        }
    }
}

extension RecordBatch {
    /// The batch with the change tags of another database.
    package func replacingTags(_ other: (String) -> String?) -> RecordBatch {
        var batch = self
        for position in batch.saves.indices {
            guard let metadata = batch.saves[position].metadata else { continue }
            batch.saves[position].metadata = Record.Metadata(
                changeTag: other(metadata.changeTag) ?? "none", creationDate: metadata.creationDate,
                modificationDate: metadata.modificationDate)
        }
        for position in batch.deletions.indices {
            batch.deletions[position].version = batch.deletions[position].version.replacingTag(other)
        }
        for position in batch.conditions.indices {
            batch.conditions[position].version = batch.conditions[position].version.replacingTag(other)
        }
        return batch
    }
}

extension RecordBatch.Version {
    /// The version with the change tag of another database.
    package func replacingTag(_ other: (String) -> String?) -> RecordBatch.Version {
        guard case .changeTag(let tag) = self else { return self }
        return .changeTag(other(tag) ?? "none")
    }
}
