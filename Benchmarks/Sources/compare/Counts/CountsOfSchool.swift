import Counting
import Foundation
import Models
import NestedRecords

/// The instructions and the memory of coding a school, which do not depend on the load of the machine.
struct CountsOfSchool {
    private static let records = 1_000

    /// The number of records for live bytes: with few records the share of the hash table is arbitrary.
    private static let liveRecords = 10_000

    let isQuick: Bool

    /// How often valgrind runs the work.
    private var rounds: (few: Int, many: Int) { isQuick ? (4, 12) : (10, 30) }

    /// The names of the contenders.
    private static let contenders = [
        "records", "nothing", "shape by hand", "dictionaries by hand", "dictionaries of values", "json",
    ]

    private static let limits: [String: Double] = [
        "encode, records: instructions": 3_600, "decode, records: instructions": 3_700,
        "encode, records: allocations": 1.1, "decode, records: allocations": 0.1,
        "encode, records: live bytes": 300,
    ]

    /// The allocations of decoding for the user's types: one for each instance of a class, and two lists.
    private static let objects = (records - 2) / 2 + 1 + 2

    /// The work of a direction and a contender, such as "encode, json"; nil for unknown names.
    static func work(named name: String, records: Int = records) throws -> Work? {
        let school = try School(records: records)
        switch name {
        case "encode, records": return Work { try RecordEncoder().encode(school) }
        case "decode, records":
            let graph = try RecordEncoder().encode(school)
            return Work { try RecordDecoder().decode(School.self, from: graph) }
        case "encode, nothing": return Work { try school.encode(to: NullEncoder()) }
        case "decode, nothing":
            return Work { try School(from: NullDecoder(listLength: (records - 2) / 2)) }
        case "encode, shape by hand": return Work { HandWritten<ShapeForm>(school) }
        case "decode, shape by hand":
            let byShape = HandWritten<ShapeForm>(school)
            return Work { byShape.school(school.id) }
        case "encode, dictionaries by hand": return Work { HandWritten<DictionaryForm>(school) }
        case "decode, dictionaries by hand":
            let byDictionary = HandWritten<DictionaryForm>(school)
            return Work { byDictionary.school(school.id) }
        case "encode, dictionaries of values":
            let graph = try RecordEncoder().encode(school)
            return Work { dictionaries(of: graph) }
        case "encode, json": return Work { try JSONEncoder().encode(school) }
        case "decode, json":
            let json = try JSONEncoder().encode(school)
            return Work { try JSONDecoder().decode(School.self, from: json) }
        default: return nil
        }
    }

    /// The same records, each with a dictionary of its fields, which is the simplest form of a record.
    private static func dictionaries(of graph: RecordGraph) -> [Record.ID: [String: Record.Value]] {
        var records: [Record.ID: [String: Record.Value]] = [:]
        for record in graph {
            records[record.id] = Dictionary(uniqueKeysWithValues: record.fields.lazy.map { ($0.name, $0.value) })
        }
        return records
    }

    func run() throws -> Section {
        var section = Section("counts", "A school of \(Self.records): the cost of one record")
        let names = try ["encode", "decode"].flatMap { direction in
            try Self.contenders.map { "\(direction), \($0)" }.filter { try Self.work(named: $0) != nil }
        }
        addInstructions(names, to: &section)
        try addAllocations(names, to: &section)
        section.notes.append("Allocations of decode: beyond the instances and lists of the user's types.")
        section.notes.append("Live bytes: of a school of \(Self.liveRecords).")
        if isQuick { section.notes.append("Left out by --quick: the instructions of others.") }
        return section
    }

    private func add(_ name: String, _ value: Double, _ unit: String, to section: inout Section) {
        section.add(name, value / Double(Self.records), unit, atMost: Self.limits[name])
    }

    private func addInstructions(_ names: [String], to section: inout Section) {
        do {
            let counter = try InstructionCounter()
            let names = names.filter { !isQuick || $0.hasSuffix("records") }
            let counts = try counter.instructions(
                of: names.map { InstructionCounter.Job(work: $0, rounds: rounds) })
            for (name, count) in zip(names, counts) { add("\(name): instructions", count, "", to: &section) }
        } catch {
            section.notes.append("Instructions could not be counted: \(error)")
        }
    }

    private func addAllocations(_ names: [String], to section: inout Section) throws {
        var live: [String: Double] = [:]
        for name in names {
            guard let count = try Self.work(named: name)?.allocations() else {
                section.notes.append("Allocations cannot be counted on this platform.")
                return
            }
            let isDecoding = name.hasPrefix("decode")
            add("\(name): allocations", Double(count.calls - (isDecoding ? Self.objects : 0)), "", to: &section)
            guard !isDecoding, let many = try Self.work(named: name, records: Self.liveRecords)?.allocations() else {
                continue
            }
            live[name] = Double(many.liveBytes) / Double(Self.liveRecords)
            section.add("\(name): live bytes", live[name, default: 0], "B", atMost: Self.limits["\(name): live bytes"])
        }
        if let own = live["encode, records"], let others = live["encode, dictionaries of values"] {
            section.add("live bytes to those of dictionaries of values", own / others, "times", atMost: 0.6)
        }
    }
}
