extension String {
    /// Whether this is a JSON number: without leading zeros, which occur in postcodes.
    var isJSONNumber: Bool {
        var rest = utf8[...]
        func takeDigits() -> Int {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let isZero = rest.first == UInt8(ascii: "0")
        let count = takeDigits()
        guard count == 1 || count > 1 && !isZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            if takeDigits() == 0 { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            if takeDigits() == 0 { return false }
        }
        return rest.isEmpty
    }
}
