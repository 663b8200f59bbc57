import Foundation

extension SplitMix64 {
    mutating func integer() -> Int {
        switch pick([0, 1, 2]) {
        case 0: pick([0, 1, -1, 2, 7, 1 << 53, .max, .min])
        case 1: Int.random(in: -1_000...1_000, using: &self)
        default: Int(truncatingIfNeeded: next())
        }
    }

    mutating func number() -> Double {
        switch pick([0, 1, 2]) {
        case 0: pick([0, -0.0, 1, 2, 0.1, -1.5, 1e300, 0x1p63, .leastNonzeroMagnitude, 1e15])
        case 1: Double(Int.random(in: -1_000...1_000, using: &self)) / pick([1, 2, 10])
        default: Double.random(in: -1e9...1e9, using: &self)
        }
    }

    mutating func text() -> String {
        pick([
            "", "a", "0", "1", "true", "null", "é", "e\u{301}", "👩‍👩‍👧‍👦", "a/b.c", "\0\"\\\n", "2001-02-03T04:05:06Z",
            "12.50",
            "1.5;2.5", "$ref", "nan", "value", "http://a.b/c?d=%20", "text \(next() % 1_000)",
        ])
    }

    mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: number() / 1_024) }

    mutating func decimal() -> Decimal {
        let digits = pick(["0", "12.50", "-0.1", "12345678901234567", "0.30000000000000001", "99999999999999999999"])
        return Decimal(string: digits) ?? Decimal(integer() % 1_000)
    }

    mutating func url() -> URL {
        let text = pick(["http://a.b/c?d=e#f", "file:///x/y", "mailto:a@b", "relative/path", "https://é.example/ü"])
        return URL(string: text) ?? URL(fileURLWithPath: "/")
    }

    mutating func uuid() -> UUID {
        let (high, low) = (next(), next())
        func byte(_ bits: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bits >> shift) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 8), byte(high, 16), byte(high, 24), byte(high, 32), byte(high, 40),
                byte(high, 48), byte(high, 56), byte(low, 0), byte(low, 8), byte(low, 16), byte(low, 24), byte(low, 32),
                byte(low, 40), byte(low, 48), byte(low, 56)
            ))
    }

    /// A value as JSON has them.
    mutating func element(depth: Int = 2) -> Element {
        switch pick(depth == 0 ? [0, 1, 2, 3, 4] : [0, 1, 2, 3, 4, 5, 6]) {
        case 0: .bool(chance(oneIn: 2))
        case 1: .integer(chance(oneIn: 2) ? pick([0, 1]) : Int.random(in: -5...5, using: &self))
        case 2: .number(pick([0.5, 1.5, -2.25, 1e30]))
        case 3: .text(text())
        case 4: .null
        case 5: .list((0..<pick([0, 1, 3])).map { _ in element(depth: depth - 1) })
        default: .map([pick(["value", "a", "$ref"]): element(depth: depth - 1), "b/c": element(depth: depth - 1)])
        }
    }
}

/// A value as JSON has them.
///
/// It is encoded by the types that hold it.
indirect enum Element: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case decimal(Decimal)
    case text(String)
    case date(Date)
    case url(URL)
    case uuid(UUID)
    case list([Element])
    case map([String: Element])
}
