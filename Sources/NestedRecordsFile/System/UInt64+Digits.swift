extension UInt64 {
    /// The number with 16 hexadecimal digits, as it is a part of file names.
    var sixteenDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
