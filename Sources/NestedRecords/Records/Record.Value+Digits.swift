// A number that no number of a field holds exactly, such as `UInt64.max` or a decimal number with 20 digits, is a map with
// its digits: `{$decimal: "18446744073709551615"}`. A list of numbers, a map and a string would be data of other types.

extension Record.Value {
    /// A number that no number of a field holds.
    @inline(never)
    static func number(digits: String) -> Record.Value { .map([Record.Fields.decimalMark: .string(digits)]) }

    /// The digits of a number that no number of a field holds; nil for other values.
    var numberDigits: String? {
        guard case .map(let fields) = self, fields.areDecimal, case .string(let digits)? = fields.values.first
        else { return nil }
        return digits
    }
}

extension Record.Fields {
    /// The only field of a map that represents a number: its digits, as a string.
    ///
    /// Such a map is no keyed value and no dictionary, so that a type that tries these first does not take it for one.
    static let decimalMark = "$decimal"

    /// Whether these are the fields of a map that represents a number.
    @inline(__always)
    var areDecimal: Bool { count == 1 && names[0] == Self.decimalMark }
}
