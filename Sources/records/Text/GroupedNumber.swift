extension BinaryInteger {
    /// The decimal digits in groups of three: `63,804`.
    var grouped: String {
        let digits = magnitude.description
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits.prefix($0).suffix(3)) }
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}

extension Int {
    /// The number with a noun: `1 change`, `2,000 changes`.
    func grouped(_ noun: String) -> String { "\(grouped) \(self == 1 ? noun : noun + "s")" }

    /// The number of records in words: `1 record`, `2,000 records`.
    var countedRecords: String { grouped("record") }
}
