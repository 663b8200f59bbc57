#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Points in time as texts: `2001-02-03T04:05:06.789Z`, as RFC 3339 writes them, in the Gregorian calendar throughout.
///
/// Foundation's own style is not used: it rounds to milliseconds, reads over further digits, and takes the Julian
/// calendar before 1582.
enum ISO8601 {
    private static let secondsPerDay: Int64 = 86_400
    /// From 1970-01-01 to 2001-01-01.
    private static let daysToReferenceDate: Int64 = 11_323

    /// The text of a date, nil if there is none that reads back as the very same date: beyond the years 0 to 9999,
    /// and for fractions of a second that 17 decimal digits do not tell apart.
    static func text(of date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate
        let whole = interval.rounded(.down)
        // Some ten thousand years either way.
        guard abs(whole) < 1e12, let seconds = Int64(exactly: whole) else { return nil }
        let days = (seconds >= 0 ? seconds : seconds - secondsPerDay + 1) / secondsPerDay
        guard (-750_000...3_000_000).contains(days) else { return nil }
        let (year, month, day) = civil(fromDays: days + daysToReferenceDate)
        guard (0...9_999).contains(year) else { return nil }
        let second = seconds - days * secondsPerDay
        let start =
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if whole == interval { return start + "Z" }
        var scale = 1.0
        for digits in 1...17 {
            scale *= 10
            let fraction = Int64(((interval - whole) * scale).rounded())
            let text = "\(start).\(padded(fraction, digits))Z"
            if self.date(from: text) == date { return text }
        }
        return nil
    }

    /// The date of a text with date, time and time zone (`Z` or an offset such as `+02:00`), nil for another text.
    static func date(from text: String) -> Date? {
        var bytes = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int64? {
            guard bytes.count >= digits, bytes.prefix(digits).allSatisfy({ (48...57).contains($0) }) else { return nil }
            defer { bytes = bytes.dropFirst(digits) }
            return bytes.prefix(digits).reduce(0) { $0 * 10 + Int64($1 - 48) }
        }
        func skip(_ choices: String) -> Bool {
            guard let byte = bytes.first, choices.utf8.contains(byte) else { return false }
            bytes = bytes.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), skip("Tt "),
            let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
            (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = days(fromYear: year, month, day)
        guard civil(fromDays: days) == (year, month, day) else { return nil }
        var fraction = 0.0
        if skip(".") {
            let digits = bytes.prefix { (48...57).contains($0) }
            guard !digits.isEmpty, let value = Double("0." + String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            bytes = bytes.dropFirst(digits.count)
            fraction = value
        }
        var offset: Int64 = 0
        if !skip("Zz") {
            let sign: Int64 = bytes.first == UInt8(ascii: "-") ? -1 : 1
            guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            offset = sign * (hours * 3_600 + minutes * 60)
        }
        guard bytes.isEmpty else { return nil }
        let time = (days - daysToReferenceDate) * secondsPerDay + hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(time) + fraction)
    }

    // Years begin in March here, so that the leap day is the last of its year. An era is 400 years, 146,097 days.

    private static func days(fromYear year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
