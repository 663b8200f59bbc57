import Foundation
import NestedRecords

extension FilterText {
    /// Reads a value: typed JSON, a string in single quotes, or a word whose form decides its kind.
    mutating func value() throws -> Record.Value {
        skipSpace()
        let start = position
        switch current {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try quoted())
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            try skipJSON()
            return try json(from: start)
        default:
            guard let word else { throw unexpected("a value") }
            let value = try value(of: word)
            take(word: word)
            return value
        }
    }

    /// Reads a string; a single word of any form needs no quotes.
    mutating func text() throws -> String {
        skipSpace()
        if current == UInt8(ascii: "'") || current == UInt8(ascii: "\"") { return try quoted() }
        guard let word else { throw unexpected("a string") }
        take(word: word)
        return word
    }

    /// Reads a regular expression.
    mutating func pattern() throws -> TextPattern {
        skipSpace()
        let start = position
        let text = try text()
        guard text.utf8.count <= TextPattern.longest else {
            throw error("a regular expression has at most \(TextPattern.longest.grouped) bytes", at: start)
        }
        guard let pattern = TextPattern(text) else {
            let mistake = offset(of: TextPattern.mistake(in: text), inStringAt: start)
            throw error("'\(text.shortened)' is not a regular expression", at: mistake)
        }
        return pattern
    }

    /// The offset of a byte of the string that ends at the position; with `\u` in double quotes, an offset before it.
    private func offset(of byte: Int, inStringAt start: Int) -> Int {
        let written = bytes(from: start)
        let escapes = [UInt8(ascii: "'"): UInt8(ascii: "'"), UInt8(ascii: "\""): UInt8(ascii: "\\")]
        guard let escape = written.first.flatMap({ escapes[$0] }) else { return start + byte }
        return start + (0..<byte).reduce(1) { offset, _ in offset + (written[offset] == escape ? 2 : 1) }
    }

    /// Reads a location.
    mutating func location() throws -> Location {
        skipSpace()
        let start = position
        guard case .location(let location) = try value() else {
            throw unexpected("a location such as 57.05;-5.13", at: start)
        }
        return location
    }

    /// Reads a date; `today` and `yesterday` mean the first moments of these days in UTC.
    mutating func date() throws -> Date {
        skipSpace()
        let (start, day) = (position, 86_400.0)
        if let keyword, let age = ["today": 0, "yesterday": day][keyword] {
            take(word: keyword)
            return Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / day).rounded(.down) * day - age)
        }
        guard case .date(let date) = try value() else {
            throw unexpected("a date such as 2010-01-31, 'today' or 'yesterday'", at: start)
        }
        return date
    }

    /// Reads a number.
    mutating func number() throws -> Double {
        skipSpace()
        let start = position
        let value = try value()
        if case .int(let number) = value { return Double(number) }
        guard case .double(let number) = value else { throw unexpected("a number", at: start) }
        return number
    }

    /// Reads a string in double quotes as in JSON, or in single quotes, where two quotes mean one.
    mutating func quoted() throws -> String {
        let start = position
        if current == UInt8(ascii: "\"") {
            try skipString()
            guard case .string(let text) = try json(from: start) else { return "" }
            return text
        }
        var text: [UInt8] = []
        advance()
        while let byte = current {
            advance()
            if byte == UInt8(ascii: "'") {
                guard current == byte else { return String(decoding: text, as: UTF8.self) }
                advance()
            }
            text.append(byte)
        }
        throw unexpected("the \"'\" that ends the string that begins at \(column(of: start))")
    }
}

// MARK: Words

extension FilterText {
    /// The value of a word.
    private func value(of word: String) throws -> Record.Value {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: break
        }
        if let first = word.utf8.first, "+-.0123456789".utf8.contains(first) { return try numeric(word) }
        guard word.utf8.contains(UInt8(ascii: "/")) else { return .string(word) }
        guard let id = try? Record.ID(word) else {
            throw unexpected("a reference such as Person/ada, or quotes around a string")
        }
        return .reference(Record.Reference(to: id))
    }

    /// The value of a word that begins like a number.
    ///
    /// A string needs quotes here: otherwise an invalid date would silently be a string that matches nothing.
    private func numeric(_ word: String) throws -> Record.Value {
        if word.isJSONNumber {
            if let value = Int64(word) { return .int(value) }
            if let value = Double(word), value.isFinite { return .double(value) }
        }
        // A day means its first moment.
        if let date = Date(recordString: word) ?? Date(recordString: word + "T00:00:00Z") { return .date(date) }
        if let location = try? Location(word) { return .location(location) }
        throw unexpected(
            "a number, a date such as 2010-01-31 or 2010-01-31T09:30:00Z, a location such as 57.05;-5.13, or quotes "
                + "around a string")
    }
}

// MARK: JSON

extension FilterText {
    /// Skips a string in double quotes.
    private mutating func skipString() throws {
        let start = position
        advance()
        while let byte = current {
            advance()
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\"), current != nil { advance() }
        }
        throw unexpected("the '\"' that ends the string that begins at \(column(of: start))")
    }

    /// Skips a list or an object without validating it.
    private mutating func skipJSON() throws {
        let start = position
        var depth = 0
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                advance()
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                advance()
            default: advance()
            }
            if depth == 0 { return }
        }
        throw unexpected("the end of the value that begins at \(column(of: start))")
    }

    /// The value of the typed JSON up to the position.
    private func json(from start: Int) throws -> Record.Value {
        do {
            return try Record.Value(typedJSON: bytes(from: start))
        } catch let error as JSONError {
            throw self.error("at \(error.place) of this value: \(error.reason)", at: start)
        }
    }
}
