import Foundation
import NestedRecords

/// Writes a nested document.
///
/// A record is not written within itself: a reference is written instead.
struct NestedPrinter {
    private let document: NestedDocument
    private var json: JSONWriter

    /// The unfinished parts, innermost last; recursion over a long chain of records would overflow the stack.
    private var open: [Part] = []
    private var openRecords: Set<Record.ID> = []

    /// The members that each open part still has besides its fields.
    private var members: [ArraySlice<KeptTexts.Member>] = []

    /// The record and the field that are being written, for errors, and where its fields are among the open parts.
    private var place: [(record: Record.ID, field: String, part: Int)] = []

    /// Whether the root is only a value without its record.
    private var isBare = false

    private static let blockSize = 1 << 16

    fileprivate enum Part {
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
    mutating func write(to output: ([UInt8]) throws -> Void) throws {
        if let field = document.rootField {
            try beginField(field)
        } else {
            begin(document.root)
        }
        // Lines are the elements of a list that is not written itself.
        let lowest = document.isLines ? 2 : 0
        while let last = open.indices.last {
            if try writeNext(in: last) == nil { end(isWritten: last >= lowest) }
            if document.isLines, open.count <= lowest, json.bytes.last ?? 0x0A != 0x0A { json.endLine() }
            if json.bytes.count >= Self.blockSize { try output(json.takeBytes()) }
        }
        if !document.isLines { json.endLine() }
        try output(json.takeBytes())
    }

    /// Writes the next element of a part.
    ///
    /// - Returns: Nil if the part has no further element.
    private mutating func writeNext(in position: Int) throws -> Void? {
        switch open[position] {
        case .record(let record, let next):
            writeMembers(before: record.beginsWithName ? next - 1 : next)
            guard next < record.names.count else { return nil }
            open[position] = .record(record, next: next + 1)
            if next == 0, record.beginsWithName, members[position].contains(where: { $0.isNamed(record.names[0]) }) {
                return ()
            }
            place[place.count - 1].field = record.names[next]
            json.writeKey(record.names[next])
            let value = record.values[next]
            if try !writeText(of: value) { try write(value) }
        case .list(var rest):
            guard let value = rest.popFirst() else { return nil }
            open[position] = .list(rest)
            if try !writeText(of: value) { try write(value) }
        case .map(let names, let values, let next):
            writeMembers(before: next)
            guard next < names.count else { return nil }
            open[position] = .map(names: names, values: values, next: next + 1)
            json.writeKey(names[next])
            if try !writeText(of: values[next]) { try write(values[next]) }
        case .plainList(var rest):
            guard let value = rest.popFirst() else { return nil }
            open[position] = .plainList(rest)
            if try !writeText(of: .plain(value)) { try write(plain: value) }
        case .plainMap(let fields, let next):
            writeMembers(before: next)
            guard next < fields.count else { return nil }
            open[position] = .plainMap(fields, next: next + 1)
            json.writeKey(fields[next].name)
            if try !writeText(of: .plain(fields[next].value)) { try write(plain: fields[next].value) }
        }
        return ()
    }

    private mutating func begin(_ record: NestedRecord) {
        json.beginObject()
        openRecords.insert(record.id)
        place.append((record.id, "", open.count))
        begin(.record(record, next: 0), names: Array(record.names.dropFirst(record.beginsWithName ? 1 : 0)))
    }

    /// Begins a part that has some names; a list has none, and no members.
    ///
    /// A field that was set later takes the place of the member with its name.
    private mutating func begin(_ part: Part, names: @autoclosure () -> [String]? = nil) {
        open.append(part)
        guard !document.texts.members.isEmpty, let place = place.last,
            let found = document.texts.members[place.record]?[pointer(throughLast: false)], let names = names()
        else { return members.append([]) }
        members.append(found.filter { member in !names.contains(where: member.isNamed) }[...])
    }

    /// Begins with the value of one field of the root.
    private mutating func beginField(_ field: String) throws {
        let record = document.root
        open.append(.record(record, next: record.names.count))
        members.append([])
        openRecords.insert(record.id)
        place.append((record.id, field, 0))
        guard let position = record.names.firstIndex(where: { $0.utf8.elementsEqual(field.utf8) }) else {
            throw error("it is missing")
        }
        open[0] = .record(record, next: position + 1)
        let value = record.values[position]
        if document.isLines, case .list(let values) = value {
            begin(.list(values[...]))
        } else if document.isLines, case .plain(.list(let values)) = value {
            begin(.plainList(values[...]))
        } else if try !writeText(of: value) {
            try write(value)
        }
        open[0] = .record(record, next: record.names.count)
        isBare = true
    }

    private mutating func end(isWritten: Bool) {
        if isWritten { writeMembers(before: .max) }
        members.removeLast()
        let isBareRoot = isBare && open.count == 1
        switch open.removeLast() {
        case .record(let record, _):
            if !isBareRoot { json.endObject() }
            openRecords.remove(record.id)
            place.removeLast()
        case .map, .plainMap: json.endObject()
        case .list, .plainList: if isWritten { json.endList() }
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
            begin(.list(values[...]))
        case .map(let names, let values):
            json.beginObject()
            begin(.map(names: names, values: values, next: 0), names: names)
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
        if !document.forms.isEmpty, let text = document.forms.text(of: value, under: key) {
            return json.write(json: text)
        }
        if case .reference(let value) = value { return write(reference: value.id) }
        switch value.contents {
        case .list(let values)?:
            json.beginList()
            begin(.plainList(values[...]))
        case .map(let fields)?:
            if let digits = value.numberDigits, digits.isJSONNumber { return json.write(json: digits) }
            json.beginObject()
            begin(.plainMap(fields, next: 0), names: fields.map(\.name))
        case nil: try write(scalar: value)
        }
    }

    private mutating func write(scalar value: Record.Value) throws {
        switch value.plainScalar {
        case .null?: json.writeNull()
        case .bool(let value)?: json.write(value)
        case .int(let value)?: json.write(value)
        case .double(let value)?:
            guard value.isFinite else { throw error("JSON has no number for \(value)") }
            json.write(value)
        case .text(let text)?: json.write(text)
        case nil:
            guard case .date(let date) = value else { throw error("its time is set by a save") }
            throw error("no ISO 8601 string represents the date \(date.timeIntervalSinceReferenceDate) s since 2001")
        }
    }

    private func error(_ reason: String) -> NestingError {
        let place = place.last ?? (document.root.id, "", 0)
        return NestingError(record: place.record, field: place.field, reason: reason)
    }
}

// MARK: Texts

extension NestedPrinter {
    /// Writes the kept text of the value that is next, if it is still that of the value.
    private mutating func writeText(of value: NestedValue) throws -> Bool {
        guard let place = place.last, let texts = document.texts.values[place.record],
            let kept = texts[pointer(throughLast: true)], value.has(kept)
        else { return false }
        json.write(json: kept.text)
        return true
    }

    /// The key of the value that is next, or of the list around it.
    private var key: String {
        for part in open.reversed() {
            switch part {
            case .list, .plainList: continue
            case .record, .map, .plainMap: return part.step
            }
        }
        return ""
    }

    /// Writes the members of the last part that come before a field.
    private mutating func writeMembers(before position: Int) {
        guard let last = members.indices.last else { return }
        while let member = members[last].first, member.position <= position {
            members[last].removeFirst()
            json.writeKey(member.key)
            json.write(json: member.text)
        }
    }

    /// The pointer in the current record to the last part, or to the value in it that was begun last.
    private func pointer(throughLast: Bool) -> String {
        let start = place.last?.part ?? 0
        return KeptTexts.pointer((throughLast ? open[start...] : open[start...].dropLast()).map(\.step))
    }
}

extension NestedPrinter.Part {
    /// The key or the index of the element that was begun last.
    fileprivate var step: String {
        switch self {
        case .record(let record, let next): record.names[next - 1]
        case .list(let rest): "\(rest.startIndex - 1)"
        case .map(let names, _, let next): names[next - 1]
        case .plainList(let rest): "\(rest.startIndex - 1)"
        case .plainMap(let fields, let next): fields[next - 1].name
        }
    }
}
