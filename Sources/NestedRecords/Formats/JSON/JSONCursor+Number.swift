extension JSONCursor {
    /// Reads a number: an integer if it has no fraction and no exponent and is not `-0`, else the nearest Double.
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
            return .number(try fractional(from: start))
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

    /// Skips a number, which may be larger than any number of a record.
    mutating func skipNumber() throws(JSONFault) {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let digits = position
        while current.isDigit { position += 1 }
        guard position > digits else { throw unexpected(isNegative ? "a digit" : "a value") }
        guard position == digits + 1 || bytes[digits] != UInt8(ascii: "0") else {
            throw JSONFault(reason: "found a number that begins with 0, expected no further digits", offset: start)
        }
        try skipFraction()
    }

    /// Skips the fraction and the exponent after the first digits of a number.
    private mutating func skipFraction() throws(JSONFault) {
        if current == UInt8(ascii: ".") {
            position += 1
            guard current.isDigit else { throw unexpected("a digit after the point") }
            while current.isDigit { position += 1 }
        }
        if current | 0x20 == UInt8(ascii: "e") { try skipExponent() }
        guard !current.isLetterOrDigit, current != UInt8(ascii: ".") else { throw unexpected("the end of the number") }
    }

    /// Reads the fraction and the exponent after the first digits of a number.
    private mutating func fractional(from start: Int) throws(JSONFault) -> Double {
        try skipFraction()
        let text = text(from: start)
        guard let value = Double(text), value.isFinite else {
            throw JSONFault(
                reason: "found a number that a Double does not hold, expected one up to 1.8e308", offset: start)
        }
        let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        if value == 0, digits.contains(where: { (0x31...0x39).contains($0) }) {
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
}
