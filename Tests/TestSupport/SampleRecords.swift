import Foundation
package import NestedRecords

/// Records of all kinds of values, and made-up ones.
package enum SampleRecords {
    /// One record for each thing that the typed form has a rule for.
    package static func all() throws -> [Record] {
        let values =
            try scalars() + [
                .list([]), .map([:]), .list(try scalars()), .map(["": .null, "é\"\n": .list([.map([:]), .list([])])]),
                .map(["$ref": .string("City/1")]), .map(["a": .map(["$": .int(1), "b": .null]), "link": .bool(true)]),
                .map(["$map": .map(["$map": .list([.map(["$double": .int(1)])])])]), .map(["$\u{301}": .int(1)]),
                .list([.list([.list([.int(1)]), .null]), .map(["x": .map(["y": .list([])])])]),
            ]
        let records = try values.enumerated().map { position, value in
            try Record(id: Record.ID(type: "Kind", name: "\(position)"), fields: ["value": value])
        }
        let names = (0..<40).map { ("field\(39 - $0)", Record.Value.int(Int64($0))) }
        return records + [
            try Record(id: Record.ID("Empty/none")),
            try Record(id: Record.ID("Wide/a/\"b\"/港"), fields: Record.Fields(names), metadata: metadata),
            try Record(
                id: Record.ID("Saved/1"), fields: ["z": .int(1), "a": .int(2)],
                metadata: Record.Metadata(
                    changeTag: "\"\\", creationDate: Date(timeIntervalSinceReferenceDate: 1e300),
                    modificationDate: Date(timeIntervalSinceReferenceDate: 0.1))),
        ]
    }

    /// A record with fields of random kinds.
    package static func random(_ number: Int) throws -> Record {
        let kinds = try scalars()
        var fields = Record.Fields()
        for position in 0..<Int.random(in: 0...20) {
            let few = (0..<Int.random(in: 0...3)).compactMap { _ in kinds.randomElement() }
            let value: Record.Value? =
                switch Int.random(in: 0..<5) {
                case 0: .list(few)
                case 1:
                    .map(
                        Record.Fields(
                            few.enumerated().map {
                                ("\($0.offset.isMultiple(of: 2) ? "$" : "")\($0.offset)", $0.element)
                            }))
                case 2: .double(Double(bitPattern: .random(in: .min ... .max)))
                default: kinds.randomElement()
                }
            fields["\(position)"] = value
        }
        return try Record(
            id: Record.ID(type: "Random", name: "\(number)"), fields: fields, metadata: Bool.random() ? metadata : nil)
    }

    private static let metadata = Record.Metadata(
        changeTag: "t1", creationDate: Date(timeIntervalSinceReferenceDate: -1.5),
        modificationDate: Date(timeIntervalSinceReferenceDate: 700_000_000))

    private static func scalars() throws -> [Record.Value] {
        let target = try Record.ID("Person/a/b")
        let doubles: [Double] = [
            0, -0.0, 2, -3, 1e19, 1e300, 0.1, 1e-7, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
        ]
        let intervals: [Double] = [0, 0.125, -1e9, 1e300, .leastNonzeroMagnitude, .infinity, .nan]
        let texts = ["", "a", "\u{0}\u{1B}\u{7F}\u{85}\u{2028}", "\"\\/", "港 💧 e\u{301}", "{\"$ref\":\"A/1\"}"]
        let rest: [Record.Value] = [
            .null, .bool(true), .bool(false), .int(0), .int(.min), .int(.max), .bytes(Data()),
            .bytes(Data([0, 255, 7])),
            .location(try Location("-12.5;170.25")), .serverTimestamp, .reference(Record.Reference(to: target)),
            .reference(Record.Reference(to: target, isLink: true)),
            .reference(Record.Reference(to: target, action: .deleteSelf)),
            .reference(Record.Reference(to: target, action: .deleteSelf, isLink: true)),
        ]
        return doubles.map(Record.Value.double) + texts.map(Record.Value.string) + rest
            + intervals.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    }
}
