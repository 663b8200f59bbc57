/// Times of the stand-in server, in microseconds since 1970.
///
/// "Precise only to microseconds. When stored, any additional precision is rounded down":
/// https://firebase.google.com/docs/firestore/reference/rest/v1/Value
struct StandInTime: Hashable, Comparable, Sendable {
    let microseconds: Int64

    static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    init(microseconds: Int64) { self.microseconds = microseconds }

    /// Reads a string of RFC 3339 in UTC, of the years 1 to 9999.
    ///
    /// https://protobuf.dev/reference/protobuf/google.protobuf/#timestamp
    init?(_ text: String) {
        let parts = text.utf8.split { "-T:.Z".utf8.contains($0) }.map { String(decoding: Array($0), as: UTF8.self) }
        let numbers = parts.compactMap { Int64($0) }
        guard text.hasSuffix("Z"), (6...7).contains(numbers.count), numbers.count == parts.count,
            (1...9_999).contains(numbers[0]), (1...12).contains(numbers[1]), (1...31).contains(numbers[2])
        else { return nil }
        let fraction = parts.count < 7 ? "" : parts[6]
        guard fraction.utf8.count <= 9, let part = Int64((fraction + "000000000").prefix(6)) else { return nil }
        let seconds =
            ((Self.days(numbers[0], numbers[1], numbers[2]) * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
        microseconds = seconds * 1_000_000 + part
    }

    /// The days from 1970, by counting leap years.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let before = year - 1
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let months: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        return before * 365 + before / 4 - before / 100 + before / 400 + months[Int(month) - 1]
            + (isLeap && month > 2 ? 1 : 0)
            + day - 1 - 719_162
    }

    /// "Z-normalized" with "0, 3, 6 or 9 fractional digits", at the page of a value.
    var text: String {
        func padded(_ number: Int64, _ count: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        let seconds = (microseconds - fraction) / 1_000_000
        let second = (seconds % 86_400 + 86_400) % 86_400
        let day = (seconds - second) / 86_400
        var year: Int64 = 1_970 + day / 366
        if day < 0 { year -= 1 }
        while Self.days(year + 1, 1, 1) <= day { year += 1 }
        while Self.days(year, 1, 1) > day { year -= 1 }
        var month: Int64 = 12
        while Self.days(year, month, 1) > day { month -= 1 }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day - Self.days(year, month, 1) + 1, 2))"
        let time = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        let end =
            fraction == 0 ? "" : fraction % 1_000 == 0 ? "." + padded(fraction / 1_000, 3) : "." + padded(fraction, 6)
        return "\(date)T\(time)\(end)Z"
    }
}
