import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile

/// The written value: it has many records, and each day is one batch.
///
/// All ships know the day, so a torn batch shows; each day adds a page to the logbook and deletes the oldest one.
struct Voyage: RecordCodable, Identifiable, Equatable {
    var id = 1
    var day: Int
    var fleet: [Ship]
    var logbook: [Page]

    static let shipCount = 40
    static let pageCount = 3

    init(day: Int) {
        self.day = day
        fleet = (0..<Self.shipCount).map { Ship(id: $0, day: day) }
        logbook = (max(1, day - Self.pageCount + 1)...day).map { Page(id: $0, text: "Day \($0)") }
    }

    /// The record to delete on this day.
    var oldPage: Record.ID? {
        get throws { day > Self.pageCount ? try Record.ID(type: "Page", name: "\(day - Self.pageCount)") : nil }
    }
}

struct Ship: RecordCodable, Identifiable, Equatable {
    var id: Int
    var day: Int
    var captain: Captain
    var cargo: String

    /// Each fourth day the batch has 24 MB, so that it takes long enough for a kill.
    init(id: Int, day: Int) {
        (self.id, self.day) = (id, day)
        captain = Captain(name: "Captain \(id)", mood: day % 10)
        cargo = String(repeating: "\((id + day) % 10)", count: day % 4 == 0 ? 600_000 : 100 + day % 100)
    }
}

struct Captain: Codable, Equatable {
    var name: String
    var mood: Int
}

struct Page: RecordCodable, Identifiable, Equatable {
    var id: Int
    var text: String
}

/// The records that are stored only on the first day: so many that saving an index takes long.
struct Crate: RecordCodable, Identifiable, Equatable {
    static let count = 12_300

    var id: Int
    var weight: Int

    init(id: Int) { (self.id, weight) = (id, id * id) }
}

/// Contents that whole days cannot leave.
struct Torn: Error, CustomStringConvertible {
    let description: String
}

extension FileRecordDatabase {
    /// Saves a day, all of it in one batch.
    func save(day: Int) async throws {
        let voyage = Voyage(day: day)
        let encoder = RecordEncoder()
        var records = Array(try encoder.encode(voyage))
        if day == 1 { records += Array(try encoder.encode((0..<Crate.count).map(Crate.init))) }
        let deleted = try voyage.oldPage.map { [$0] } ?? []
        _ = try await commit(RecordBatch(saving: records, deletingAnyVersionOf: deleted, savePolicy: .overwrite))
    }

    /// The day of the file, which must be whole and the only contents; 0 for none.
    func day() async throws -> Int {
        var all: [Record] = []
        for try await record in records(ofType: nil) { all.append(record) }
        return try Self.day(of: all)
    }

    /// The day of the records, which must be whole and the only contents; 0 for none.
    static func day(of all: some Sequence<Record>) throws -> Int {
        var records: [Record.ID: Record] = [:]
        var crates = 0
        for record in all {
            if record.id.type == "Crate" {
                crates += 1
                guard record["weight"] == Int(record.id.name).map({ .int(Int64($0 * $0)) }) else {
                    throw Torn(description: "\(record)")
                }
            } else if records.updateValue(record, forKey: record.id) != nil {
                throw Torn(description: "\(record.id) occurs twice")
            }
        }
        guard let root = records[try Record.ID(type: "Voyage", name: "1")] else {
            guard records.isEmpty, crates == 0 else {
                throw Torn(description: "\(records.count) records without a voyage")
            }
            return 0
        }
        let voyage = try RecordDecoder().decode(Voyage.self, from: RecordGraph(records.values), root: root.id)
        let expected = Voyage(day: voyage.day)
        guard voyage == expected else { throw Torn(description: "differs from the value of day \(voyage.day)") }
        guard crates == Crate.count, records.count == 1 + Voyage.shipCount + voyage.logbook.count else {
            throw Torn(description: "\(crates) crates and \(records.count) records on day \(voyage.day)")
        }
        return voyage.day
    }
}
