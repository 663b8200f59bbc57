import Foundation
import NestedRecords

/// Writes a nested document.
///
/// A record is not written within itself: a reference is written instead.
struct NestedPrinter {
    private static let blockSize = 1 << 16

    /// The maximum number of records in each other: a reader of more would overflow its stack.
    private static let deepest = 1_000

    private let document: NestedDocument
    private var json: JSONWriter

    /// The unfinished parts, innermost last; recursion over a long chain of records would overflow the stack.
    private var open: [Part] = []
    private var openRecords: Set<Record.ID> = []

    /// The record and the field that are being written, for errors, and where its fields are among the open parts.
    private var place: [(record: Record.ID, field: String, part: Int)] = []

    /// Whether the root is only a value without its record.
    private var isBare = false

    /// A list, a map or a record, of which some elements are written.
    fileprivate struct Part {
        /// The values of a map or a record; nil in a list.
        var fields: Record.Fields?

        /// The elements of a list.
        var elements: [Record.Value] = []
        var next = 0

        /// The record with the fields; nil in a map.
        var record: Record.ID?

        /// Whether the first name is not that of a field: its value is the name of the record.
        var beginsWithName = false

        /// The members that the part still has besides its fields.
        var members: ArraySlice<KeptTexts.Member> = []
    }

    init(document: NestedDocument, layout: JSONWriter.Layout) {
        self.document = document
        json = JSONWriter(layout)
    }

    /// Writes the document.
    ///
    /// - Parameter output: Called with the next bytes.
    mutating func write(to output: ([UInt8]) throws -> Void) throws {
        if let root = document.records[document.root] {
            if let field = document.rootField { try begin(root, field) } else { try begin(root) }
        }
        // Lines are the elements of a list that is not written itself.
        let lowest = document.isLines ? 2 : 0
        while let last = open.indices.last {
            if try !writeNext(in: last) { end(isWritten: last >= lowest) }
            if document.isLines, open.count <= lowest, json.bytes.last ?? 0x0A != 0x0A { json.endLine() }
            if json.bytes.count >= Self.blockSize { try output(json.takeBytes()) }
        }
        if !document.isLines { json.endLine() }
        try output(json.takeBytes())
    }

    /// Writes the next element of a part.
    ///
    /// - Returns: Whether the part had one.
    private mutating func writeNext(in position: Int) throws -> Bool {
        let (next, isNamed) = (open[position].next, open[position].beginsWithName)
        guard let fields = open[position].fields else {
            guard next < open[position].elements.count else { return false }
            open[position].next += 1
            try write(open[position].elements[next])
            return true
        }
        writeMembers(before: isNamed ? next - 1 : next)
        guard next < fields.count else { return false }
        open[position].next += 1
        let (name, value) = fields[next]
        if next == 0, isNamed, open[position].members.contains(where: { $0.isNamed(name) }) { return true }
        if open[position].record != nil { place[place.count - 1].field = name }
        json.writeKey(name)
        try write(value)
        return true
    }

    private mutating func begin(_ record: Record) throws {
        guard place.count < Self.deepest else {
            throw error("more than \(Self.deepest.grouped) records are in each other; choose a --depth")
        }
        json.beginObject()
        openRecords.insert(record.id)
        place.append((record.id, "", open.count))
        begin(part(of: record))
    }

    private func part(of record: Record) -> Part {
        var part = Part(fields: record.fields, record: record.id)
        // A property that holds the record name is not a field.
        if let key = document.nesting.idKey, record[key] == nil {
            let fields = [(key, Record.Value.string(record.id.name))] + record.fields.map { ($0.name, $0.value) }
            (part.fields, part.beginsWithName) = (Record.Fields(fields), true)
        }
        return part
    }

    /// Begins a part; a list has no members.
    ///
    /// A field that was set later takes the place of the member with its name.
    private mutating func begin(_ part: Part) {
        open.append(part)
        guard !document.texts.members.isEmpty, let fields = part.fields, let place = place.last,
            let found = document.texts.members[place.record]?[pointer(throughLast: false)]
        else { return }
        let names = fields.dropFirst(part.beginsWithName ? 1 : 0).map(\.name)
        open[open.count - 1].members = found.filter { member in !names.contains(where: member.isNamed) }[...]
    }

    /// Begins with the value of one field of the root.
    private mutating func begin(_ root: Record, _ field: String) throws {
        let part = part(of: root)
        open.append(part)
        openRecords.insert(root.id)
        place.append((root.id, field, 0))
        guard let fields = part.fields, let position = fields.firstIndex(where: { $0.name.hasBytes(of: field) }) else {
            throw error("it is missing")
        }
        open[0].next = position + 1
        if document.isLines, case .list(let values) = fields[position].value {
            begin(Part(elements: values))
        } else {
            try write(fields[position].value)
        }
        open[0].next = fields.count
        isBare = true
    }

    private mutating func end(isWritten: Bool) {
        if isWritten { writeMembers(before: .max) }
        let isBareRoot = isBare && open.count == 1
        let part = open.removeLast()
        if part.fields == nil {
            if isWritten { json.endList() }
        } else if !isBareRoot {
            json.endObject()
        }
        guard let record = part.record else { return }
        openRecords.remove(record)
        place.removeLast()
    }
}

// MARK: Values

extension NestedPrinter {
    private mutating func write(_ value: Record.Value) throws {
        if let text = keptText(of: value) { return json.write(json: text) }
        if case .reference(let reference) = value, !reference.isLink {
            let id = reference.id
            let isOpen = openRecords.contains(id) || document.nesting.depth.map { place.count > $0 } ?? false
            if !isOpen, let record = document.records[id] { return try begin(record) }
            if !isOpen, document.nesting.isStrict { throw error("it refers to \(id), which does not exist") }
            return write(reference: id)
        }
        if !document.forms.isEmpty, let text = document.forms.text(of: value, under: key) {
            return json.write(json: text)
        }
        if case .reference(let reference) = value { return write(reference: reference.id) }
        switch value.contents {
        case .list(let values)?:
            json.beginList()
            begin(Part(elements: values))
        case .map(let fields)?:
            if let digits = value.numberDigits, digits.isJSONNumber { return json.write(json: digits) }
            json.beginObject()
            begin(Part(fields: fields))
        case nil: try write(scalar: value)
        }
    }

    private mutating func write(reference id: Record.ID) {
        json.beginObject()
        json.writeKey(plain: "$ref")
        json.write(id.description)
        json.endObject()
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
        let place = place.last ?? (document.root, "", 0)
        return NestingError(record: place.record, field: place.field, reason: reason)
    }
}

// MARK: Texts

extension NestedPrinter {
    /// The kept text of the value that is next, if it is still that of the value.
    private func keptText(of value: Record.Value) -> String? {
        guard let place = place.last, let texts = document.texts.values[place.record],
            let kept = texts[pointer(throughLast: true)], value.has(kept)
        else { return nil }
        return kept.text
    }

    /// The key of the value that is next, or of the list around it.
    private var key: String { open.last { $0.fields != nil }?.step ?? "" }

    /// Writes the members of the last part that come before a field.
    private mutating func writeMembers(before position: Int) {
        guard let last = open.indices.last else { return }
        while let member = open[last].members.first, member.position <= position {
            open[last].members.removeFirst()
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
    fileprivate var step: String { fields.map { $0[next - 1].name } ?? "\(next - 1)" }
}
