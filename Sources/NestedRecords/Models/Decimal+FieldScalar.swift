#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A decimal number is stored as a number, as in JSON. A decimal that no number of a field represents exactly is stored
/// as a map with its digits, as large integers are.
extension Decimal: FieldScalar {
    var fieldValue: Record.Value {
        if isNaN { return .double(.nan) }
        let digits = description
        // Every double represents fifteen digits so that its shortest digits are the same: most need no comparison.
        if digits.utf8.count <= 15, let double = Double(digits) { return .double(double) }
        // Integers are read from the number that a double is, not from its shortest digits.
        if let integer = Int64(digits), Double(exactly: integer) == nil { return .int(integer) }
        if let double = Double(digits), Decimal(shortestDigitsOf: double) == self { return .double(double) }
        if let integer = Int64(digits) { return .int(integer) }
        return .number(digits: digits)
    }

    static func read(_ value: Record.Value) -> Decimal? {
        if case .int(let value) = value { return Decimal(value) }
        if case .double(let value) = value { return value.isNaN ? .nan : Decimal(shortestDigitsOf: value) }
        return value.numberDigits.flatMap { Decimal(digits: $0) }
    }

    static func readLeniently(_ value: Record.Value) -> Decimal? {
        guard case .string(let digits) = value else { return nil }
        return digits == Decimal.nan.description ? .nan : Decimal(digits: digits)
    }

    /// The number made of the fewest digits that distinguish this double from others; nil if a decimal cannot hold it.
    private init?(shortestDigitsOf double: Double) {
        guard double.isFinite else { return nil }
        let digits = double.description
        // The digits of a double without an exponent always fit.
        if digits.utf8.contains(UInt8(ascii: "e")) { self.init(digits: digits) } else { self.init(string: digits) }
    }

    private init?(digits: String) {
        // `Decimal` also reads a number at the beginning of a string, and rounds digits that it cannot hold.
        guard digits.isDecimalNumber, let value = Decimal(string: digits), !value.isNaN,
            value.description.significantDigits == digits.significantDigits
        else { return nil }
        self = value
    }
}

extension String {
    /// The digits of a number before its exponent, without zeros at either end.
    fileprivate var significantDigits: [UInt8] {
        let digits = utf8.prefix { $0 != 0x65 && $0 != 0x45 }.filter { (0x30...0x39).contains($0) }
        return Array(digits.drop { $0 == 0x30 }.reversed().drop { $0 == 0x30 }.reversed())
    }
}
