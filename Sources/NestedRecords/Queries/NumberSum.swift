#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The exact sum of numbers, which does not depend on their order.
///
/// Numbers are added as the decimal numbers that JSON writes: 0.1 and 0.2 give 0.3. The sum of infinities with one sign is
/// infinite; any other sum with numbers that are not finite is not-a-number.
struct NumberSum: Sendable {
    /// Integers that are not in the parts yet.
    private var integers: Int64 = 0

    /// The sum is that of the parts, each times 10⁹ to the power of its key.
    private var parts: [Int: Int64] = [:]

    /// The sum of the numbers that are not finite; nil if there are none.
    private var special: Double?

    private static let base: Int64 = 1_000_000_000

    /// Adds a number, and returns whether the value is one.
    @discardableResult
    mutating func add(_ value: Record.Value, isNegated: Bool = false) -> Bool {
        if case .int(let integer) = value, !isNegated {
            let (sum, overflow) = integers.addingReportingOverflow(integer)
            if overflow { addDigits(of: integers.description) }
            integers = overflow ? integer : sum
        } else if case .int(let integer) = value {
            addDigits(of: integer.description, isNegated: true)
        } else if case .double(let double) = value {
            if double.isFinite {
                addDigits(of: double.description, isNegated: isNegated)
            } else {
                special = (special ?? 0) + (isNegated ? -double : double)
            }
        } else {
            // A map with digits that the library has not written may be of any size.
            guard let digits = value.numberDigits, digits.utf8.count <= 100, digits.isDecimalNumber,
                let double = Double(digits), double.isFinite
            else { return false }
            // The exponent of zero, and of a number that is nearly zero, may be of any size.
            guard double != 0 else { return Decimal(string: digits) == 0 }
            addDigits(of: digits, isNegated: isNegated)
        }
        return true
    }

    /// Whether a number is less than another, exactly; false if one is not finite.
    static func isLess(_ left: Record.Value, than right: Record.Value) -> Bool {
        var difference = NumberSum()
        return difference.add(left) && difference.add(right, isNegated: true)
            && difference.digits?.utf8.first == UInt8(ascii: "-")
    }

    /// Adds a decimal number: a sign, digits with a point, an exponent after `e`.
    private mutating func addDigits(of text: String, isNegated: Bool = false) {
        var digits: [Int64] = []
        var (exponent, isFraction, sign) = (0, false, Int64(isNegated ? -1 : 1))
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "-"): sign = -sign
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += Int(Substring(rest)) ?? 0
                rest = rest.suffix(0)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(Int64(byte & 15))
                if isFraction { exponent -= 1 }
            default: break
            }
        }
        // The least digit of each part has an exponent that nine divides.
        var power = Int((Double(exponent) / 9).rounded(.down))
        digits += repeatElement(0, count: exponent - 9 * power)
        while !digits.isEmpty {
            let part = digits.suffix(9).reduce(0) { $0 * 10 + $1 }
            digits.removeLast(min(9, digits.count))
            if part != 0 { add(sign * part, toPart: power) }
            power += 1
        }
    }

    private mutating func add(_ part: Int64, toPart power: Int) {
        // Parts stay within the base, so that they never overflow. Each has a sign of its own.
        let (carry, rest) = ((parts[power] ?? 0) + part).quotientAndRemainder(dividingBy: Self.base)
        parts[power] = rest
        if carry != 0 { add(carry, toPart: power + 1) }
    }

    /// The sum as a decimal number without a point, `-15e-1`; nil if it is not finite.
    var digits: String? {
        if special != nil { return nil }
        var sum = self
        sum.integers = 0
        sum.addDigits(of: integers.description)
        return sum.partDigits
    }

    private var partDigits: String {
        let powers = parts.filter { $0.value != 0 }.keys
        guard let least = powers.min(), let greatest = powers.max() else { return "0" }
        // The greatest part is more than the others together.
        let sign = (parts[greatest] ?? 0).signum()
        var (digits, borrowed) = ([String](), Int64(0))
        for power in least...greatest {
            var part = sign * (parts[power] ?? 0) - borrowed
            borrowed = part < 0 ? 1 : 0
            part += borrowed * Self.base
            digits.append(String("\(Self.base + part)".dropFirst()))
        }
        let zero = UInt8(ascii: "0")
        var text = digits.reversed().joined().utf8.drop { $0 == zero }
        var exponent = 9 * least
        while text.last == zero {
            text.removeLast()
            exponent += 1
        }
        return (sign < 0 ? "-" : "") + String(Substring(text)) + (exponent == 0 ? "" : "e\(exponent)")
    }

    /// The sum as the value of a field: a number, or a map with the digits of a number that no field holds exactly.
    var value: Record.Value {
        guard let digits else { return .double(special ?? .nan) }
        let written = Self.written(digits)
        if let integer = Int64(written) { return .int(integer) }
        // The digits of an integer: its shortest digits as a double may be those of another integer.
        if written.utf8.allSatisfy({ (0x2D...0x39).contains($0) }) { return .number(digits: written) }
        guard let double = Double(digits), double.isFinite else { return .number(digits: digits) }
        var sum = NumberSum()
        sum.addDigits(of: double.description)
        return sum.digits == digits ? .double(double) : .number(digits: digits)
    }

    /// The nearest double to the sum.
    var double: Double { digits.flatMap(Double.init) ?? special ?? .nan }

    /// The digits of an integer with its zeros, up to the 39 digits of 128 bits; of another number as they are.
    private static func written(_ digits: String) -> String {
        let parts = digits.utf8.split(separator: UInt8(ascii: "e")).map { String(Substring($0)) }
        guard parts.count == 2, let zeros = Int(parts[1]), zeros >= 0, zeros + parts[0].utf8.count <= 40
        else { return digits }
        return parts[0] + String(repeating: "0", count: zeros)
    }
}
