@_spi(Engines) import NestedRecords
import NestedRecordsFile

/// The records of lines in memory, with their own metadata, as a read-only database.
struct LoadedRecords: RecordDatabase {
    private let records: [Record]
    private let positions: [Record.ID: Int]
    private let name: String

    /// Reads all lines of a file.
    ///
    /// - Throws: ``InputError``, also for a record that occurs twice with different content.
    init(_ file: OpenFile) throws {
        var reader = RecordLineReader(file)
        var records: [Record] = []
        var positions: [Record.ID: Int] = [:]
        while let record = try RecordInput.next(&reader, in: file) {
            if let position = positions[record.id] {
                guard try records[position].isSame(as: record) else {
                    throw InputError(
                        input: file.name, reason: "line \(reader.line): \(RepeatedRecord(id: record.id))")
                }
                continue
            }
            positions[record.id] = records.count
            records.append(record)
        }
        (self.records, self.positions, name) = (records, positions, file.name)
    }

    /// Makes a database of records that were read.
    init(_ records: [Record], name: String) {
        self.records = records
        self.name = name
        positions = Dictionary(zip(records.map(\.id), records.indices)) { first, _ in first }
    }

    /// The number of records, without those that the library keeps for itself.
    var shownCount: Int { records.count { !$0.id.isReserved } }

    /// The number of records of each type.
    var counts: [String: Int] { records.reduce(into: [:]) { $0[$1.id.type, default: 0] += 1 } }

    func records(for ids: [Record.ID]) -> [Record] { ids.compactMap { id in positions[id].map { records[$0] } } }

    func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(type.map { type in records.filter { $0.id.type == type } } ?? records)
    }

    func commit(_ batch: RecordBatch) throws -> [Record.ID: Record.Metadata] {
        throw RecordDatabaseError(.readOnly, path: name)
    }
}

/// An error for a record that occurs twice in an input with different content.
struct RepeatedRecord: Error, Hashable, CustomStringConvertible {
    let id: Record.ID

    var description: String { "\(id) occurs twice, with different content" }
}
