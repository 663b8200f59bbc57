#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Date {
    /// The string of this date in the typed form; nil if no string reads back as exactly this date.
    package var recordString: String? { ISO8601.text(of: self) }

    /// Makes a date from its string in the typed form; nil for other strings.
    package init?(recordString: String) {
        guard let date = ISO8601.date(from: recordString) else { return nil }
        self = date
    }
}

/// Dates as strings such as `2001-02-03T04:05:06.789Z`, as in RFC 3339, always in the Gregorian calendar.
///
/// Foundation's format style is not suitable: it rounds to milliseconds, ignores further digits, and uses the Julian
/// calendar before 1582.
enum ISO8601 {
    private static let secondsPerDay: Int64 = 86_400
    /// From 1970-01-01 to 2001-01-01.
    private static let daysToReferenceDate: Int64 = 11_323

    /// The text of a date, nil if no text reads back as exactly this date: outside of the years 0 to 9999, for −0, and
    /// for fractions of a second that 17 decimal digits do not distinguish.
    static func text(of date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate
        // No text represents −0.
        if interval == 0, interval.sign == .minus { return nil }
        let whole = interval.rounded(.down)
        // About thirty thousand years before and after 2001.
        guard abs(whole) < 1e12, let seconds = Int64(exactly: whole) else { return nil }
        let days = (seconds >= 0 ? seconds : seconds - secondsPerDay + 1) / secondsPerDay
        guard (-750_000...3_000_000).contains(days) else { return nil }
        let (year, month, day) = civil(fromDays: days + daysToReferenceDate)
        guard (0...9_999).contains(year) else { return nil }
        let second = seconds - days * secondsPerDay
        func text(fraction: Int64 = 0, digits: Int = 0) -> String {
            var text: [UInt8] = []
            text.reserveCapacity(21 + digits)
            func put(_ number: Int64, _ digits: Int, _ end: Unicode.Scalar) {
                var unit: Int64 = (1..<digits).reduce(1) { unit, _ in unit * 10 }
                while unit > 0 {
                    text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
                    unit /= 10
                }
                text.append(UInt8(ascii: end))
            }
            put(year, 4, "-")
            put(month, 2, "-")
            put(day, 2, "T")
            put(second / 3_600, 2, ":")
            put(second / 60 % 60, 2, ":")
            put(second % 60, 2, digits == 0 ? "Z" : ".")
            if digits > 0 { put(fraction, digits, "Z") }
            return String(decoding: text, as: UTF8.self)
        }
        if whole == interval { return text() }
        var scale = 1.0
        for digits in 1...17 {
            scale *= 10
            let fraction = Int64(((interval - whole) * scale).rounded())
            // A fraction that rounds up to a whole second has no text of its own.
            guard Double(fraction) < scale, let value = self.fraction(fraction, digits: digits) else { continue }
            if Double(seconds) + value == interval { return text(fraction: fraction, digits: digits) }
        }
        return nil
    }

    private static let powersOfTen = [
        1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private static func fraction(_ number: Int64, digits: Int) -> Double? {
        // Both are exact so far, so their quotient is rounded once.
        if digits < powersOfTen.count { return Double(number) / powersOfTen[digits] }
        let text = String(number)
        return Double("0." + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text)
    }

    /// The date of a text with date, time and time zone (`Z` or an offset such as `+02:00`), nil for other texts.
    static func date(from text: String) -> Date? { text.withBytesInPlace { date(from: $0) } }

    private static func date(from bytes: BytesInPlace) -> Date? {
        var position = 0
        func number(_ digits: Int) -> Int64? {
            guard bytes.count - position >= digits else { return nil }
            var number: Int64 = 0
            for byte in bytes[position..<(position + digits)] {
                guard (48...57).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 48)
            }
            position += digits
            return number
        }
        func isSkipped(_ choice: Unicode.Scalar, _ other: Unicode.Scalar? = nil) -> Bool {
            guard let byte = bytes.byte(at: position),
                byte == UInt8(ascii: choice) || other.map({ byte == UInt8(ascii: $0) }) ?? false
            else { return false }
            position += 1
            return true
        }
        guard let year = number(4), isSkipped("-"), let month = number(2), isSkipped("-"), let day = number(2),
            isSkipped("T", "t") || isSkipped(" "),
            let hour = number(2), isSkipped(":"), let minute = number(2), isSkipped(":"), let second = number(2),
            (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = days(fromYear: year, month, day)
        guard civil(fromDays: days) == (year, month, day) else { return nil }
        var fraction = 0.0
        if isSkipped(".") {
            let digits = bytes[position...].prefix { (48...57).contains($0) }
            position += digits.count
            if digits.count < powersOfTen.count {
                guard let value = self.fraction(digits.reduce(0) { $0 * 10 + Int64($1 - 48) }, digits: digits.count),
                    !digits.isEmpty
                else { return nil }
                fraction = value
            } else {
                guard let value = Double("0." + String(decoding: digits, as: UTF8.self)) else { return nil }
                fraction = value
            }
        }
        var offset: Int64 = 0
        if !isSkipped("Z", "z") {
            let isNegative = isSkipped("-")
            guard isNegative || isSkipped("+"), let hours = number(2), isSkipped(":"), let minutes = number(2),
                hours < 24, minutes < 60
            else { return nil }
            offset = (isNegative ? -1 : 1) * (hours * 3_600 + minutes * 60)
        }
        guard position == bytes.count else { return nil }
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
}
