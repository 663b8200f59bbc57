import Foundation
import NestedRecords

extension RecordDatabaseRequirement {
    static let keepingValues = [
        keeping("nulls") { [.null] },
        keeping("Booleans") { [true, false] },
        keeping("integers") { [0, 1, .int(.max), .int(.min), .int(9_007_199_254_740_993)] },
        keeping("floating-point numbers") {
            [0, -0.0, 1, 0.1, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e300].map(Record.Value.double)
                + [.double(.infinity), .double(-.infinity), .double(.nan)]
        },
        keeping("texts") {
            [
                "", " ", "a\0b\r\n\u{2028}", "\"quoted\" \\ 'text'; --", "é", "e\u{301}", "👩‍👩‍👧‍👦", "漢字", "1.5;2.5", "$ref",
                .string(String(repeating: "long ", count: 40_000)),
            ]
        },
        keeping("dates") {
            [0, -0.5, 1e-9, 726_000_000.123_456, -62_135_596_800, -99_999_999_999.25, 1e15].map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            } + [.date(.distantPast), .date(.distantFuture)]
        },
        keeping("bytes") { [.bytes(Data()), .bytes(Data(0...255)), .bytes(Data(repeating: 0, count: 100_000))] },
        keeping("locations") {
            try [(0, 0), (90, 180), (-90, -180), (57.123_456_789_012_3, -1e-7)].map {
                .location(try Location(latitude: $0.0, longitude: $0.1))
            }
        },
        keeping("references") {
            let id = try Record.ID("Other/absent/target")
            return [Record.Reference.Action.none, .deleteSelf].flatMap { action in
                [false, true].map { .reference(Record.Reference(to: id, action: action, isLink: $0)) }
            }
        },
        keeping("lists") { [.list([]), .list([.null, .int(1), .list([.list([])]), .map([:]), .string("")])] },
        keeping("maps") {
            [
                .map([:]), .map(["": .null, "$ref": .string("Other/a"), "a.b": .map(["é": .list([.map([:])])])]),
                .map(Record.Fields((0..<100).map { ("name\($0)", .int($0)) })),
            ]
        },
        RecordDatabaseRequirement("keeps a record without fields") { database in
            let id = try Record.ID(type: "Sample", name: "empty")
            try await database.expectHolds(database.saved(Record(id: id)))
        },
    ]

    private static func keeping(
        _ kind: String, _ values: @escaping @Sendable () throws -> [Record.Value]
    ) -> RecordDatabaseRequirement {
        RecordDatabaseRequirement("keeps \(kind) to the last bit") { database in
            for (number, value) in try values().enumerated() {
                var record = try Record.sample("value\(number)")
                record["value"] = value
                try await database.expectHolds(database.saved(record))
            }
        }
    }
}
