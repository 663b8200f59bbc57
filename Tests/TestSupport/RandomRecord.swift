import Foundation
package import NestedRecords

/// Makes records that are hard to write down.
package struct RandomRecord {
    package var generator: SplitMix64

    /// Whether values may be null, which some coders have no form for.
    package var hasNulls = true

    package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    package mutating func record() throws -> Record {
        var fields = try self.fields(depth: generator.pick([0, 1, 2, 3, 40]))
        fields[""] = nil
        let metadata = Record.Metadata(
            changeTag: text(), creationDate: finiteDate(), modificationDate: finiteDate())
        return try Record(id: id(), fields: fields, metadata: generator.chance(oneIn: 3) ? metadata : nil)
    }

    private mutating func id() throws -> Record.ID {
        let type = generator.pick(["A", "School", "Module.Type_9", "Z" + String(repeating: "z", count: 254)])
        let name = String(
            String.UnicodeScalarView(text().unicodeScalars.filter { $0.properties.generalCategory != .control }))
        let isFitting = !name.isEmpty && name.utf8.count <= 255
        return try Record.ID(type: type, name: isFitting ? name : generator.pick(["1", "a/b", " ", "$ref"]))
    }

    private mutating func fields(depth: Int) throws -> Record.Fields {
        var fields = Record.Fields()
        for _ in 0..<generator.pick(depth > 3 ? [1] : [0, 1, 2, 4, 9]) {
            let name = generator.chance(oneIn: 3) ? text() : generator.pick(Self.names)
            // Names with one meaning are one name, as with every dictionary of Swift.
            fields[name] = try value(depth: depth)
        }
        return fields
    }

    package mutating func value(depth: Int) throws -> Record.Value {
        // A deep value is deep throughout, but has few branches.
        if depth > 3 || (depth > 0 && generator.chance(oneIn: 3)) {
            if generator.chance(oneIn: 2) { return .map(try fields(depth: depth - 1)) }
            let count = depth > 3 ? 1 : generator.pick([0, 1, 2, 7])
            return .list(try (0..<count).map { _ in try value(depth: depth - 1) })
        }
        switch generator.pick(Array(hasNulls ? 0...9 : 1...9)) {
        case 0: return .null
        case 1: return .bool(generator.chance(oneIn: 2))
        case 2:
            return .int(
                generator.chance(oneIn: 2) ? generator.pick(Self.integers) : Int64(bitPattern: generator.next()))
        case 3: return .double(double())
        case 4: return .string(text())
        case 5: return .date(Date(timeIntervalSinceReferenceDate: generator.chance(oneIn: 4) ? double() : interval()))
        case 6:
            return .bytes(
                Data(
                    (0..<generator.pick([0, 1, 2, 3, 50])).map { _ in UInt8.random(in: .min ... .max, using: &generator)
                    }))
        case 7: return .serverTimestamp
        case 8:
            return .location(
                try Location(
                    latitude: generator.pick([0, -0.0, 90, -90, .random(in: -90...90, using: &generator)]),
                    longitude: generator.pick([0, -0.0, 180, -180, .random(in: -180...180, using: &generator)])))
        default:
            return .reference(
                Record.Reference(
                    to: try id(), action: generator.pick([.none, .deleteSelf]), isLink: generator.chance(oneIn: 2)))
        }
    }

    private mutating func double() -> Double {
        switch generator.pick([0, 1, 2]) {
        case 0: generator.pick(Self.doubles)
        case 1: Double(bitPattern: generator.next())
        default: Double(Int64.random(in: -1_000...1_000, using: &generator)) / generator.pick([1, 2, 10])
        }
    }

    private mutating func interval() -> Double {
        let whole = Double(Int64.random(in: -100_000_000_000...300_000_000_000, using: &generator))
        return whole / generator.pick([1, 1, 2, 1_000, 1_000_000, .pi])
    }

    private mutating func finiteDate() -> Date { Date(timeIntervalSinceReferenceDate: interval()) }

    private mutating func text() -> String {
        if generator.chance(oneIn: 2) {
            // Property lists write null as a text, and both spellings of a text as one.
            let hidden = hasNulls ? [] : ["$null", "e\u{301}"]
            return generator.pick(Self.texts.filter { !hidden.contains($0) })
        }
        let planes = (0..<generator.pick([0, 1, 3, 10])).map { _ in generator.pick(Array(0...16)) as UInt32 }
        let scalars = planes.compactMap { Unicode.Scalar($0 << 16 | UInt32.random(in: 0...0xFFFF, using: &generator)) }
        return String(String.UnicodeScalarView(scalars))
    }

    private static let names = [
        "a", "b", "name", "$ref", "$date", "$map", "$double", "$", "$$", "link", "action", "", "é",
    ]
    private static let integers: [Int64] = [0, 1, -1, .max, .min, 1 << 53, 1 << 53 + 1, .max - 1]
    private static let doubles: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 2, 0.1, .pi, 1e15, 1e16, 1e17, 1e300, -1e300, 0x1p53, 0x1p63,
        -0x1p64,
        .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .ulpOfOne, 1.0.nextUp,
        4_503_599_627_370_497.5,
    ]
    private static let texts = [
        "", " ", "\0", "\u{7F}", "\u{2028}", "\r\n", "\"", "\\", "/", "é", "e\u{301}", "漢字", "👩‍👩‍👧‍👦", "$ref", "$null",
        "nan",
        "2001-01-01T00:00:00Z", "1.5;2.5", "null", "true", "1", "</script>", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}",
        "\u{301}",
    ]
}
