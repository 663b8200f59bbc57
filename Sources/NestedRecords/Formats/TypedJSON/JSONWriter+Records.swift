#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The rules of writing the typed form; ``TypedForm`` has those of reading.

extension JSONWriter {
    /// Writes the value of a field: plain if JSON has a form for it, otherwise as a marked object.
    ///
    /// - Returns: Whether the value was written; false if it is nested more deeply.
    @discardableResult
    package mutating func write(typed value: Record.Value, maximumNesting: Int = .max) -> Bool {
        // Without recursion: values may be nested more deeply than a stack holds.
        var open: [OpenCollection] = []
        var next: Record.Value? = value
        while true {
            if let value = next {
                if let collection = OpenCollection(value) {
                    if collection.needsMark { begin(.map) }
                    if collection.isMap { beginObject() } else { beginList() }
                    open.append(collection)
                } else {
                    write(scalar: value)
                }
            }
            guard open.count <= maximumNesting else { return false }
            guard let last = open.indices.last else { return true }
            if let name = open[last].nextName { writeKey(name) }
            next = open[last].takeNext()
            guard next == nil else { continue }
            let collection = open.removeLast()
            if collection.isMap { endObject() } else { endList() }
            if collection.needsMark { endObject() }
        }
    }

    private mutating func begin(_ kind: Record.Value.Kind) {
        beginObject()
        if let mark = kind.mark { writeKey(plain: mark) }
    }

    @inline(__always)
    private mutating func write(scalar value: Record.Value) {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .double(let value):
            // An integral number would read as an integer.
            if value.isFinite, value.rounded() != value { return write(value) }
            begin(.double)
            write(exact: value)
            endObject()
        case .string(let value): write(value)
        case .date(let value):
            begin(.date)
            if let text = ISO8601.text(of: value) {
                write(plain: text)
            } else {
                write(exact: value.timeIntervalSinceReferenceDate)
            }
            endObject()
        case .bytes(let value):
            begin(.bytes)
            write(plain: value.base64EncodedString())
            endObject()
        case .location(let value):
            begin(.location)
            write(plain: value.description)
            endObject()
        case .reference(let value): write(reference: value)
        case .asset(let value):
            begin(.asset)
            beginObject()
            write(propertiesOf: value)
            endObject()
            endObject()
        case .serverTimestamp:
            begin(.serverTimestamp)
            write(true)
            endObject()
        case .list, .map: break
        }
    }

    /// Writes the members of an object with the properties of an asset.
    mutating func write(propertiesOf asset: RecordAsset) {
        for key in RecordAsset.CodingKeys.allCases {
            guard let value = asset.part(named: key.rawValue) else { continue }
            writeKey(plain: key.rawValue)
            write(scalar: value)
        }
    }

    mutating func write(reference: Record.Reference) {
        begin(.reference)
        write(reference.id.description)
        if reference.isLink {
            writeKey(plain: TypedKey.link)
            write(true)
        }
        if reference.action != .none {
            writeKey(plain: TypedKey.action)
            write(reference.action.rawValue)
        }
        endObject()
    }

    private mutating func write(exact value: Double) {
        if value.isFinite { return write(value) }
        let isUsual = !value.isNaN || value.bitPattern == Double.nan.bitPattern
        write(plain: isUsual ? value.description : "0x" + String(value.bitPattern, radix: 16))
    }
}

extension OpenCollection {
    /// Whether this is a map with a name that looks like a mark, so that it is marked itself.
    fileprivate var needsMark: Bool { shape.map { $0.names.contains(where: TypedKey.isMark) } ?? false }
}

// MARK: Records

extension JSONWriter {
    @discardableResult
    mutating func write(record: Record, maximumNesting: Int = .max) -> String? {
        beginObject()
        writeKey(plain: TypedKey.id)
        write(record.id.description)
        writeKey(plain: TypedKey.fields)
        if let name = write(fields: record.fields, maximumNesting: maximumNesting) { return name }
        if let metadata = record.metadata {
            writeKey(plain: TypedKey.metadata)
            beginObject()
            writeKey(plain: TypedKey.changeTag)
            write(metadata.changeTag)
            writeKey(plain: TypedKey.creationDate)
            write(typed: .date(metadata.creationDate))
            writeKey(plain: TypedKey.modificationDate)
            write(typed: .date(metadata.modificationDate))
            endObject()
        }
        endObject()
        return nil
    }

    @discardableResult
    mutating func write(fields: Record.Fields, maximumNesting: Int = .max) -> String? {
        beginObject()
        for (name, value) in fields {
            writeKey(name)
            guard write(typed: value, maximumNesting: maximumNesting) else { return name }
        }
        endObject()
        return nil
    }

    mutating func write(graph: RecordGraph) {
        beginObject()
        writeKey(plain: TypedKey.roots)
        beginList()
        for root in graph.roots { write(root.description) }
        endList()
        writeKey(plain: TypedKey.records)
        beginList()
        for record in graph { write(record: record) }
        endList()
        endObject()
    }
}

extension JSONWriter {
    /// Writes a record as a whole document, or nothing and an error if it could not be read back.
    package mutating func write(_ record: Record) throws(RecordError) {
        let start = bytes.count
        guard let name = write(record: record, maximumNesting: BinaryFormat.maximumNesting) else { return }
        removeBytes(from: start)
        throw .depthLimitExceeded(
            BinaryFormat.maximumNesting, context: RecordContext(record: record.id, field: name))
    }
}
