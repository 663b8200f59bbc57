import Foundation
@_spi(Engines) import NestedRecords

/// A change that `undo` can take back, as a system record of the changed database; other system records have its parts.
struct UndoStep: Sendable, Codable {
    /// The most steps of a database, and the most bytes of all of them.
    static let (maximumCount, maximumByteCount) = (20, 64 << 20)
    fileprivate static let recordType = Record.ID.reservedTypePrefix + "Undo"
    fileprivate static let partType = recordType + "Part"
    private static let contentField = "step"

    /// The milliseconds since 1970, for the order of steps, and a random number: two programs can write at once.
    private var time: Int
    private let mark: UInt32

    /// The command that made the change.
    let command: String

    /// Whether the step takes back what an undo has done.
    let isUndone: Bool

    /// Whether the command has made all of its changes.
    var isComplete: Bool

    /// The first changed record, and the number of them, without those that the library and `nest` need.
    var (first, count) = ("", 0)
    var (partCount, byteCount) = (0, 0)

    /// The version in the database; nil for a new one.
    var metadata: Record.Metadata?

    private enum CodingKeys: CodingKey {
        case time, mark, command, isUndone, isComplete, first, count, partCount, byteCount
    }

    init(of command: String, isComplete: Bool, isUndone: Bool = false) {
        (time, mark) = (Int(Date().timeIntervalSince1970 * 1_000), UInt32.random(in: 0 ... .max))
        (self.command, self.isComplete, self.isUndone) = (command, isComplete, isUndone)
    }

    /// The steps of a database, the newest first.
    ///
    /// - Throws: ``InputError`` for one that is damaged, and errors of the database.
    static func all(in database: any RecordDatabase) async throws -> [UndoStep] {
        var steps: [UndoStep] = []
        for try await record in database.records(ofType: recordType) {
            guard case .bytes(let content)? = record[contentField],
                var step = try? JSONDecoder().decode(UndoStep.self, from: content), step.name == record.id.name,
                1..<(1 << 50) ~= step.time, 0...maximumByteCount ~= step.byteCount,
                0...step.byteCount ~= step.partCount
            else { throw UndoEntry.damage(of: record.id) }
            step.metadata = record.metadata
            steps.append(step)
        }
        return steps.sorted { ($0.time, $0.mark) > ($1.time, $1.mark) }
    }

    /// What removes all steps of a database, also damaged ones.
    static func removal(of database: any RecordDatabase) async throws -> RecordBatch {
        var batch = RecordBatch()
        for type in [recordType, partType] {
            for try await record in database.records(ofType: type) { batch.deletions.append(.init(record.id)) }
        }
        return batch
    }

    /// Whether a database takes a step back in one commit, whatever its size.
    static func areKept(by database: any RecordDatabase) -> Bool {
        let limits = database.limits
        return database.capabilities.isSuperset(of: .all) && limits.batchCount == .max && limits.batchBytes == .max
    }

    /// The step as one that comes after another, whatever the clocks of two programs say.
    func following(_ other: UndoStep?) -> UndoStep {
        var step = self
        step.time = max(time, (other?.time ?? 0) + 1)
        return step
    }

    private var name: String { "\(time)-\(mark)" }
    var date: Date { Date(timeIntervalSince1970: Double(time / 1_000)) }

    var record: Record {
        get throws {
            let id = try Record.ID(type: Self.recordType, name: name)
            let content = try JSONEncoder().encode(self)
            return try Record(id: id, fields: [Self.contentField: .bytes(content)], metadata: metadata)
        }
    }

    var partIDs: [Record.ID] {
        get throws { try (0..<partCount).map { try Record.ID(type: Self.partType, name: "\(name).\($0)") } }
    }

    /// The records to delete for the step to be gone, in the version that was read; none of a step that was not saved.
    var deletions: [RecordBatch.VersionedID] {
        get throws {
            if metadata == nil { return [] }
            let record = try record
            return try [RecordBatch.VersionedID(record.id, version: RecordBatch.Version(of: record))]
                + partIDs.map { RecordBatch.VersionedID($0) }
        }
    }
}

extension Record.ID {
    /// Whether it is a record of a step of `undo`, which copies and comparisons leave out.
    var isOfUndo: Bool { [UndoStep.recordType, UndoStep.partType].contains { type.utf8.elementsEqual($0.utf8) } }
}
