#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A decimal number is stored as a number, as in JSON. One that no number of a field holds exactly is a map with its
/// digits, ``decimalMark``.
extension Decimal: FieldScalar {
    var fieldValue: Record.Value? {
        if isNaN { return .double(.nan) }
        let digits = description
        if let double = Double(digits), Decimal(shortestDigitsOf: double) == self { return .double(double) }
        if let integer = Int64(digits) { return .int(integer) }
        return .map([Record.Fields.decimalMark: .string(digits)])
    }

    static func read(_ value: Record.Value) -> Decimal? {
        switch value {
        case .int(let value): Decimal(value)
        case .double(let value): value.isNaN ? .nan : Decimal(shortestDigitsOf: value)
        case .map(let fields) where fields.areDecimal:
            if case .string(let digits)? = fields.values.first { Decimal(digits: digits) } else { nil }
        default: nil
        }
    }

    static func readLeniently(_ value: Record.Value) -> Decimal? {
        switch value {
        case .string(Decimal.nan.description): .nan
        case .string(let digits): Decimal(digits: digits)
        default: nil
        }
    }

    /// The number that the fewest digits make that tell a double from others; nil where a decimal cannot hold it.
    private init?(shortestDigitsOf double: Double) {
        guard double.isFinite else { return nil }
        self.init(digits: double.description)
    }

    /// The number of a whole string.
    private init?(digits: String) {
        // `Decimal` also reads the number at the beginning of a string, and ignores the rest.
        guard digits.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
        self.init(string: digits)
    }
}

extension Record.Fields {
    /// The only field of a map that represents a decimal number: its digits, as a string.
    ///
    /// Such a map is no keyed value and no dictionary, so that a type that tries these first does not take it for one.
    static let decimalMark = "$decimal"

    /// Whether these are the fields of a map that represents a decimal number.
    @inline(__always)
    var areDecimal: Bool { count == 1 && names[0] == Self.decimalMark }
}
