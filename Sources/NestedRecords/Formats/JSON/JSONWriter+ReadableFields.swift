#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The fields of a record as plain JSON, for readers with SQL.
///
/// It is made for reading: records are not made from it.
extension JSONWriter {
    /// Writes fields as an object: dates as in RFC 3339, references as `"Type/name"`, locations as objects with
    /// `latitude` and `longitude`, assets as objects with `hash`, `size` and what else is known, bytes in base64, infinite
    /// numbers and NaN as strings, and U+0000 as U+FFFD.
    ///
    /// A field is null if its JSON would have more than a million bytes, if it is nested more than 100 levels deep, which
    /// is much for the JSON parsers of SQLite and PostgreSQL, or if it is a date outside of the years 0 to 9999.
    package mutating func write(readable fields: Record.Fields) {
        beginObject()
        for (name, value) in fields {
            writeKey(name.withoutNUL)
            let start = bytes.count
            if !write(readable: value, upTo: start + 1_000_000) { replaceValue(from: start) }
        }
        endObject()
    }

    /// - Returns: Whether the value was written, and not only its beginning.
    private mutating func write(readable value: Record.Value, upTo end: Int) -> Bool {
        guard var collection = OpenCollection(value) else {
            return write(readableScalar: value, upTo: end) && bytes.count <= end
        }
        var open: [OpenCollection] = []
        if collection.isMap { beginObject() } else { beginList() }
        while true {
            if let name = collection.nextName { writeKey(name.withoutNUL) }
            if let value = collection.takeNext() {
                if let inner = OpenCollection(value) {
                    open.append(collection)
                    guard open.count < 100 else { return false }
                    collection = inner
                    if collection.isMap { beginObject() } else { beginList() }
                } else {
                    guard write(readableScalar: value, upTo: end) else { return false }
                }
            } else {
                if collection.isMap { endObject() } else { endList() }
                guard let outer = open.popLast() else { return bytes.count <= end }
                collection = outer
            }
            guard bytes.count <= end else { return false }
        }
    }

    private mutating func write(readableScalar value: Record.Value, upTo end: Int) -> Bool {
        switch value {
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .double(let value) where value.isFinite: write(value)
        case .double(let value): write(plain: value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
        case .string(let value):
            guard value.utf8.count <= end - bytes.count else { return false }
            write(value.withoutNUL)
        case .date(let value): if let text = value.readableString { write(plain: text) } else { writeNull() }
        case .bytes(let value):
            guard value.count <= end - bytes.count else { return false }
            write(plain: value.base64EncodedString())
        case .location(let value):
            beginObject()
            writeKey(plain: "latitude")
            write(value.latitude)
            writeKey(plain: "longitude")
            write(value.longitude)
            endObject()
        case .reference(let value): write(value.id.description)
        case .asset(let value):
            beginObject()
            write(propertiesOf: value)
            endObject()
        case .null, .serverTimestamp, .list, .map: writeNull()
        }
        return true
    }
}

extension Record.Fields {
    /// The fields as plain JSON: see ``JSONWriter/write(readable:)``.
    package var readableJSON: [UInt8] {
        var writer = JSONWriter()
        writer.write(readable: self)
        return writer.takeBytes()
    }
}

extension String {
    fileprivate var withoutNUL: String {
        guard utf8.contains(0) else { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }
}

extension Date {
    /// Rounded to microseconds if no string reads back as exactly this date.
    fileprivate var readableString: String? {
        if let text = ISO8601.text(of: self) { return text }
        // Adding zero makes −0 to 0.
        let rounded = (timeIntervalSinceReferenceDate * 1e6).rounded() / 1e6 + 0
        return ISO8601.text(of: Date(timeIntervalSinceReferenceDate: rounded))
    }
}
