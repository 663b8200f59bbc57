extension JSONCursor {
    /// Reads a number.
    ///
    /// - Returns: An integer if the number has no fraction and no exponent and is not `-0`, else the nearest Double.
    /// - Throws: ``JSONFault`` for a malformed number, an integer beyond 64 bits, or a number beyond a Double.
    @inline(__always)
    mutating func number() throws(JSONFault) -> JSONValue.Content {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let digits = position
        var magnitude: UInt64 = 0
        while current.isDigit {
            magnitude = magnitude &* 10 &+ UInt64(current &- 0x30)
            position += 1
        }
        let count = position - digits
        guard count > 0 else { throw unexpected(isNegative ? "a digit" : "a value") }
        guard count == 1 || bytes[digits] != UInt8(ascii: "0") else {
            throw JSONFault(reason: "found a number that begins with 0, expected no further digits", offset: start)
        }
        switch current {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            return .number(try fractional(from: start, magnitude, digits: count))
        default:
            break
        }
        guard !current.isLetterOrDigit else { throw unexpected("the end of the number") }
        if magnitude == 0, count == 1 { return isNegative ? .number(-0.0) : .integer(0) }
        // 18 digits are less than 2⁶³.
        if count <= 18 {
            let value = Int64(truncatingIfNeeded: magnitude)
            return .integer(isNegative ? -value : value)
        }
        if let value = Int64(text(from: start)) { return .integer(value) }
        throw JSONFault(
            reason: "found an integer that 64 bits do not hold, expected one from \(Int64.min) to \(Int64.max)",
            offset: start)
    }

    /// Reads the fraction and the exponent after the first digits of a number.
    private mutating func fractional(
        from start: Int, _ head: UInt64, digits headDigits: Int
    ) throws(JSONFault) -> Double {
        var mantissa = head
        var digits = headDigits
        var exponent = 0
        if current == UInt8(ascii: ".") {
            position += 1
            let first = position
            while current.isDigit {
                mantissa = mantissa &* 10 &+ UInt64(current &- 0x30)
                position += 1
            }
            exponent = first - position
            digits += position - first
            guard position > first else { throw unexpected("a digit after the point") }
        }
        let hasExponent = current | 0x20 == UInt8(ascii: "e")
        if hasExponent { try skipExponent() }
        guard !current.isLetterOrDigit, current != UInt8(ascii: ".") else { throw unexpected("the end of the number") }
        // Both are exact, so the quotient is the nearest Double.
        if !hasExponent, digits <= 15, exponent >= -22 {
            let value = Double(mantissa) / Self.powersOfTen[-exponent]
            return bytes[start] == UInt8(ascii: "-") ? -value : value
        }
        guard let value = Double(text(from: start)), value.isFinite else {
            throw JSONFault(
                reason: "found a number that a Double does not hold, expected one up to 1.8e308", offset: start)
        }
        let digitBytes = text(from: start).utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        if value == 0, digitBytes.contains(where: { (0x31...0x39).contains($0) }) {
            throw JSONFault(
                reason: "found a number that a Double rounds to 0, expected one from 5e-324 on", offset: start)
        }
        return value
    }

    private mutating func skipExponent() throws(JSONFault) {
        position += 1
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
        guard current.isDigit else { throw unexpected("a digit in the exponent") }
        while current.isDigit { position += 1 }
    }

    private func text(from start: Int) -> String { bytes.part(start..<position).repairedString }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
