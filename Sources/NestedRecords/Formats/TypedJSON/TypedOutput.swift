#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A destination of the typed form: the text of a document, or an encoder.
///
/// ``TypedCodable`` types and ``TypedForm`` have the rules of reading.
protocol TypedOutput {
    associatedtype Failure: Error

    mutating func beginList() throws(Failure)
    mutating func endList()
    mutating func beginObject() throws(Failure)
    mutating func endObject()

    mutating func writeKey(_ key: String)

    mutating func writeKey(plain key: String)

    mutating func writeNull() throws(Failure)
    mutating func write(_ value: Bool) throws(Failure)
    mutating func write(_ value: Int64) throws(Failure)

    mutating func write(_ value: Double) throws(Failure)
    mutating func write(_ value: String) throws(Failure)

    mutating func write(plain value: String) throws(Failure)
}

extension JSONWriter: TypedOutput {}

// MARK: Values

extension TypedOutput {
    /// Writes the value of a field: plain if JSON has a form for it, otherwise as a marked object.
    ///
    /// - Returns: Whether the value was written; false if it is nested more deeply.
    @discardableResult
    mutating func write(typed value: Record.Value, maximumNesting: Int = .max) throws(Failure) -> Bool {
        // Without recursion: values may be nested more deeply than a stack holds.
        var open: [OpenCollection] = []
        var next: Record.Value? = value
        while true {
            if let value = next {
                if let collection = OpenCollection(value) {
                    if collection.needsMark { try begin(.map) }
                    if collection.isMap { try beginObject() } else { try beginList() }
                    open.append(collection)
                } else {
                    try write(scalar: value)
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

    private mutating func begin(_ mark: TypedMark) throws(Failure) {
        try beginObject()
        writeKey(plain: mark.rawValue)
    }

    @inline(__always)
    private mutating func write(scalar value: Record.Value) throws(Failure) {
        switch value {
        case .null: try writeNull()
        case .bool(let value): try write(value)
        case .int(let value): try write(value)
        case .double(let value):
            // An integral number would read as an integer.
            if value.isFinite, value.rounded() != value { return try write(value) }
            try begin(.double)
            try write(exact: value)
            endObject()
        case .string(let value): try write(value)
        case .date(let value):
            try begin(.date)
            if let text = ISO8601.text(of: value) {
                try write(plain: text)
            } else {
                try write(exact: value.timeIntervalSinceReferenceDate)
            }
            endObject()
        case .bytes(let value):
            try begin(.bytes)
            try write(plain: value.base64EncodedString())
            endObject()
        case .location(let value):
            try begin(.location)
            try write(plain: value.description)
            endObject()
        case .reference(let value): try write(reference: value)
        case .serverTimestamp:
            try begin(.serverTimestamp)
            try write(true)
            endObject()
        case .list, .map: break
        }
    }

    mutating func write(reference: Record.Reference) throws(Failure) {
        try begin(.reference)
        try write(reference.id.description)
        if reference.isLink {
            writeKey(plain: TypedKey.link)
            try write(true)
        }
        if reference.action != .none {
            writeKey(plain: TypedKey.action)
            try write(reference.action.rawValue)
        }
        endObject()
    }

    private mutating func write(exact value: Double) throws(Failure) {
        if value.isFinite { return try write(value) }
        let isUsual = !value.isNaN || value.bitPattern == Double.nan.bitPattern
        try write(plain: isUsual ? value.description : "0x" + String(value.bitPattern, radix: 16))
    }
}

extension OpenCollection {
    /// Whether this is a map with a name that looks like a mark, so that it is marked itself.
    fileprivate var needsMark: Bool { shape.map { $0.names.contains(where: TypedMark.isMark) } ?? false }
}

// MARK: Records

extension TypedOutput {
    @discardableResult
    mutating func write(record: Record, maximumNesting: Int = .max) throws(Failure) -> String? {
        try beginObject()
        writeKey(plain: TypedKey.id)
        try write(record.id.description)
        writeKey(plain: TypedKey.fields)
        if let name = try write(fields: record.fields, maximumNesting: maximumNesting) { return name }
        if let metadata = record.metadata {
            writeKey(plain: TypedKey.metadata)
            try beginObject()
            writeKey(plain: TypedKey.changeTag)
            try write(metadata.changeTag)
            writeKey(plain: TypedKey.creationDate)
            try write(typed: .date(metadata.creationDate))
            writeKey(plain: TypedKey.modificationDate)
            try write(typed: .date(metadata.modificationDate))
            endObject()
        }
        endObject()
        return nil
    }

    @discardableResult
    mutating func write(fields: Record.Fields, maximumNesting: Int = .max) throws(Failure) -> String? {
        try beginObject()
        for (name, value) in fields {
            writeKey(name)
            guard try write(typed: value, maximumNesting: maximumNesting) else { return name }
        }
        endObject()
        return nil
    }

    mutating func write(graph: RecordGraph) throws(Failure) {
        try beginObject()
        writeKey(plain: TypedKey.roots)
        try beginList()
        for root in graph.roots { try write(root.description) }
        endList()
        writeKey(plain: TypedKey.records)
        try beginList()
        for record in graph { try write(record: record) }
        endList()
        endObject()
    }
}

extension JSONWriter {
    package mutating func write(typed value: Record.Value) { write(typed: value, maximumNesting: .max) }

    /// Writes a record as a whole document, or nothing and an error if it could not be read back.
    package mutating func write(_ record: Record) throws(RecordError) {
        let start = bytes.count
        guard let name = write(record: record, maximumNesting: BinaryFormat.maximumNesting) else { return }
        removeBytes(from: start)
        throw .depthLimitExceeded(
            BinaryFormat.maximumNesting, context: RecordContext(record: record.id, field: name))
    }
}
