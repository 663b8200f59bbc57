import Foundation
import NestedRecords

/// Records for measuring stores: eight types of 5 to 30 fields, 13 in the mean, some 300 bytes each in binary form.
///
/// Each record's content follows from its number alone.
struct StorageRecords: Sendable {
    private static let fieldCounts = [5, 7, 9, 10, 12, 14, 17, 30]
    private let templates: [Record.Fields]

    init() {
        // The records of a type share the names of their fields, as encoded records do.
        templates = Self.fieldCounts.map { count in
            var fields = Record.Fields()
            for position in 0..<count { fields["\(Self.words[position % Self.words.count])\(position)"] = .null }
            return fields
        }
    }

    private static let words = ["name", "count", "born", "price", "active", "place", "owner", "note", "items", "code"]

    static func type(_ number: Int) -> String { "Type\(number % fieldCounts.count)" }

    static func id(_ number: Int) throws -> Record.ID {
        var random = RandomNumbers(seed: UInt64(number))
        let name = String(random.next(), radix: 16) + "-" + String(number)
        return try Record.ID(type: type(number), name: name)
    }

    /// The record of a number, in its first or another version.
    func record(_ number: Int, version: Int = 0) throws -> Record {
        var random = RandomNumbers(seed: UInt64(number) << 8 | UInt64(version))
        var fields = templates[number % templates.count]
        for (position, field) in fields.enumerated() {
            fields[field.name] = try Self.value(position, of: number, &random)
        }
        return try Record(id: Self.id(number), fields: fields)
    }

    func records(_ numbers: Range<Int>, version: Int = 0) throws -> [Record] {
        try numbers.map { try record($0, version: version) }
    }

    private static func value(
        _ position: Int, of number: Int, _ random: inout RandomNumbers
    ) throws -> Record.Value {
        switch position % words.count {
        case 0: .string("Name \(random.next() % 1_000_000) of \(number)")
        case 1: .int(Int64(random.next() % 100_000))
        case 2: .date(Date(timeIntervalSince1970: Double(random.next() % 1_700_000_000)))
        case 3: .double(Double(random.next() % 1_000_000) / 100)
        case 4: .bool(random.next().isMultiple(of: 2))
        case 5: .location(try Location(latitude: Double(random.next() % 90), longitude: Double(random.next() % 180)))
        case 6: .reference(Record.Reference(to: try id(Int(random.next() % 100_000))))
        case 7: .string(String(repeating: "note ", count: Int(random.next() % 12)))
        case 8: .list((0..<(random.next() % 5)).map { .int(Int64($0)) })
        default: .string(String(random.next(), radix: 36))
        }
    }
}
