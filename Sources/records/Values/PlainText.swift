import NestedRecords

extension Record.Value {
    /// The value as a table cell: a string unchanged, lists and maps as typed JSON.
    var plainText: String { plainScalar?.text ?? numberDigits ?? typedText }

    /// The value as a cell that is read and not copied: lists, maps and bytes as in descriptions.
    var shownText: String { isCollection && numberDigits == nil || kind == .bytes ? description : plainText }

    /// The value as typed JSON.
    var typedText: String {
        var writer = JSONWriter()
        writer.write(typed: self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as a cell of csv, tsv or Markdown: a string unchanged, null as nothing, lists and maps as plain JSON.
    func plainCell() throws -> String {
        if self == .null { return "" }
        if kind != .double, let plainScalar { return plainScalar.text }
        var writer = JSONWriter()
        try writer.write(plain: self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// An error for a value that plain formats do not hold.
struct PlainError: Error, CustomStringConvertible {
    let description: String
}

/// How a record is written as JSON.
enum JSONForm: Sendable {
    /// With the kinds of all values: nothing is lost.
    case typed

    /// The fields alone, as JSON of other programs has them: references as IDs, dates and locations as strings.
    case plain(withID: Bool)

    /// The ID alone.
    case id
}

extension JSONWriter {
    /// Writes a record.
    ///
    /// - Throws: `RecordError`, and ``PlainError`` for a value that plain JSON does not hold.
    mutating func write(_ record: Record, as form: JSONForm) throws {
        switch form {
        case .typed: try write(record)
        case .id: write(record.id.description)
        case .plain(let withID):
            beginObject()
            if withID {
                writeKey(plain: "@id")
                write(record.id.description)
            }
            for (name, value) in record.fields {
                writeKey(withID ? name.title(besides: ["@id"]) : name)
                try record.placingPlainError(at: name) { try write(plain: value) }
            }
            endObject()
        }
    }

    /// Writes a value without its kind.
    ///
    /// It does not use recursion: deeply nested values would overflow the stack.
    mutating func write(plain value: Record.Value) throws {
        var open: [(names: [String]?, values: ArraySlice<Record.Value>)] = [(nil, [value])]
        while let last = open.indices.last {
            guard let value = open[last].values.popFirst() else {
                let names = open.removeLast().names
                if !open.isEmpty { if names == nil { endList() } else { endObject() } }
                continue
            }
            if let names = open[last].names { writeKey(names[open[last].values.startIndex - 1]) }
            switch value.contents {
            case .list(let values)?:
                beginList()
                open.append((nil, values[...]))
            case .map(let fields)?:
                if let digits = value.numberDigits {
                    guard digits.isJSONNumber else { throw PlainError(description: "JSON has no number for \(digits)") }
                    write(json: digits)
                } else {
                    beginObject()
                    open.append((fields.map(\.name), fields.map(\.value)[...]))
                }
            case nil: try write(scalar: value)
            }
        }
    }

    private mutating func write(scalar value: Record.Value) throws {
        switch value.plainScalar {
        case .null?: writeNull()
        case .bool(let value)?: write(value)
        case .int(let value)?: write(value)
        case .double(let value)?:
            guard value.isFinite else { throw PlainError(description: "JSON has no number for \(value)") }
            write(value)
        case .text(let text)?: write(text)
        case nil: throw PlainError(description: "no ISO 8601 string represents \(value)")
        }
    }
}

extension Record {
    /// Runs a closure with the value of a field; a ``PlainError`` gets the place.
    func placingPlainError<Result>(at name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as PlainError {
            throw PlainError(description: "\(id), field '\(name)': \(error); '--typed' prints it")
        }
    }
}

extension String {
    /// The title of a column or the key of a value: the name, in quotes if it looks like a title that is not a field's.
    func title(besides others: [String]) -> String {
        let quotes = UInt8(ascii: "\"")
        let inner = utf8.drop { $0 == quotes }
        let count = inner.reversed().prefix { $0 == quotes }.count
        return others.contains { $0.utf8.elementsEqual(inner.dropLast(count)) } ? "\"\(self)\"" : self
    }
}
