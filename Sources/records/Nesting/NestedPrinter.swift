import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes a nested document.
///
/// A record is not written within itself: a reference is written instead.
struct NestedPrinter {
    private let document: NestedDocument
    private var json: JSONWriter

    /// The unfinished parts, innermost last; recursion over a long chain of records would overflow the stack.
    private var open: [Part] = []
    private var openRecords: Set<Record.ID> = []

    /// The record and the field that are being written, for errors.
    private var place: [(record: Record.ID, field: String)] = []

    private static let blockSize = 1 << 16

    private enum Part {
        case record(NestedRecord, next: Int)
        case list(ArraySlice<NestedValue>)
        case map(names: [String], values: [NestedValue], next: Int)
        case plainList(ArraySlice<Record.Value>)
        case plainMap(Record.Fields, next: Int)
    }

    /// Makes a printer.
    init(document: NestedDocument, layout: JSONWriter.Layout) {
        self.document = document
        json = JSONWriter(layout)
    }

    /// Writes the document.
    ///
    /// - Parameter output: Called with the next bytes.
    /// - Throws: ``NestingError``, and errors of `output`.
    mutating func write(to output: ([UInt8]) throws -> Void) throws {
        begin(document.root)
        while let last = open.indices.last {
            if try writeNext(in: last) == nil { end() }
            if json.bytes.count >= Self.blockSize { try output(json.takeBytes()) }
        }
        json.endLine()
        try output(json.takeBytes())
    }

    /// Writes the next element of a part.
    ///
    /// - Returns: Nil if the part has no further element.
    private mutating func writeNext(in position: Int) throws -> Void? {
        switch open[position] {
        case .record(let record, let next):
            guard next < record.names.count else { return nil }
            open[position] = .record(record, next: next + 1)
            place[place.count - 1].field = record.names[next]
            json.writeKey(record.names[next])
            try write(record.values[next])
        case .list(var rest):
            guard let value = rest.popFirst() else { return nil }
            open[position] = .list(rest)
            try write(value)
        case .map(let names, let values, let next):
            guard next < names.count else { return nil }
            open[position] = .map(names: names, values: values, next: next + 1)
            json.writeKey(names[next])
            try write(values[next])
        case .plainList(var rest):
            guard let value = rest.popFirst() else { return nil }
            open[position] = .plainList(rest)
            try write(plain: value)
        case .plainMap(let fields, let next):
            guard next < fields.count else { return nil }
            open[position] = .plainMap(fields, next: next + 1)
            json.writeKey(fields[next].name)
            try write(plain: fields[next].value)
        }
        return ()
    }

    private mutating func begin(_ record: NestedRecord) {
        json.beginObject()
        open.append(.record(record, next: 0))
        openRecords.insert(record.id)
        place.append((record.id, ""))
    }

    private mutating func end() {
        switch open.removeLast() {
        case .record(let record, _):
            json.endObject()
            openRecords.remove(record.id)
            place.removeLast()
        case .map, .plainMap: json.endObject()
        case .list, .plainList: json.endList()
        }
    }
}

// MARK: Values

extension NestedPrinter {
    private mutating func write(_ value: NestedValue) throws {
        switch value {
        case .plain(let value): try write(plain: value)
        case .list(let values):
            json.beginList()
            open.append(.list(values[...]))
        case .map(let names, let values):
            json.beginObject()
            open.append(.map(names: names, values: values, next: 0))
        case .record(let record):
            if mayBegin(record.id) { begin(record) } else { write(reference: record.id) }
        case .reference(let id):
            guard mayBegin(id) else { return write(reference: id) }
            if let record = document.cycled[id] { return begin(record) }
            if document.isStrict { throw error("it refers to \(id), which does not exist") }
            write(reference: id)
        }
    }

    /// Whether a record can be written here.
    private func mayBegin(_ id: Record.ID) -> Bool {
        !openRecords.contains(id) && document.depth.map { place.count <= $0 } ?? true
    }

    private mutating func write(reference id: Record.ID) {
        json.beginObject()
        json.writeKey(plain: "$ref")
        json.write(id.description)
        json.endObject()
    }

    private mutating func write(plain value: Record.Value) throws {
        switch value {
        case .null: json.writeNull()
        case .bool(let value): json.write(value)
        case .int(let value): json.write(value)
        case .double(let value):
            guard value.isFinite else { throw error("JSON has no number for \(value)") }
            json.write(value)
        case .string(let value): json.write(value)
        case .date(let date):
            guard let text = date.recordString else {
                throw error(
                    "no ISO 8601 string represents the date \(date.timeIntervalSinceReferenceDate) s since 2001")
            }
            json.write(plain: text)
        case .bytes(let value): json.write(plain: value.base64EncodedString())
        case .location(let value): json.write(plain: value.description)
        case .reference(let value): write(reference: value.id)
        case .list(let values):
            json.beginList()
            open.append(.plainList(values[...]))
        case .map(let fields):
            json.beginObject()
            open.append(.plainMap(fields, next: 0))
        case .serverTimestamp: throw error("its time is set by a save")
        }
    }

    private func error(_ reason: String) -> NestingError {
        let place = place.last ?? (document.root.id, "")
        return NestingError(record: place.record, field: place.field, reason: reason)
    }
}
