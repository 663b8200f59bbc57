@_spi(Engines) import NestedRecords

/// A request or an answer: a map, and records after it.
///
/// A message is lines of typed JSON: the map, each record, and at last `{"end": …}` with the number of the records, without
/// which the message was cut. `{"error": …}` in place of the end says why there are no more records.
struct Message: Sendable {
    var map: Record.Fields
    var records: [Record] = []

    init(_ members: KeyValuePairs<String, Record.Value?>, records: [Record] = []) {
        map = Record.Fields(members.lazy.compactMap { name, value in value.map { (name, $0) } })
        self.records = records
    }

    /// - Throws: `RecordError` with the code `depthLimitExceeded` for a record that is too deeply nested.
    func bytes() throws -> [UInt8] {
        var writer = RecordLineWriter()
        for record in records { try writer.write(record) }
        return Self.line(map) + writer.takeBytes() + Self.end(records.count)
    }

    static func line(_ map: Record.Fields) -> [UInt8] {
        var json = JSONWriter()
        json.write(typed: .map(map))
        json.endLine()
        return json.takeBytes()
    }

    static func end(_ count: Int) -> [UInt8] { line(["end": .int(Int64(count))]) }
}

// MARK: Reading

/// A message, or a part of one, that does not follow the protocol.
struct MalformedMessage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Message {
    /// Reads a whole message.
    ///
    /// - Throws: ``MalformedMessage``; ``MessageEnd/Cut`` for a message that ends too early; `RecordFormatError`.
    init(_ bytes: [UInt8]) throws {
        let newline = UInt8(ascii: "\n")
        guard let first = bytes.firstIndex(of: newline), bytes.last == newline, first < bytes.count - 1 else {
            throw MessageEnd.Cut()
        }
        let last = bytes.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0
        map = try Self.map(in: bytes[..<first])
        var reader = RecordLineReader(Array(bytes[(first + 1)..<last]))
        while let record = try reader.next() { records.append(record) }
        guard let end = try MessageEnd(bytes[last...].dropLast()) else { throw MessageEnd.Cut() }
        guard case .count = end else { throw MalformedMessage("the message ends with an error, and is not a list") }
        try end.check(count: records.count)
    }

    static func map(in line: some Sequence<UInt8>) throws -> Record.Fields {
        do {
            if case .map(let map) = try Record.Value(typedJSON: Array(line)) { return map }
        } catch {
            throw MalformedMessage("found a line that is not JSON: \(error)")
        }
        throw MalformedMessage("found a line that is not an object")
    }
}

/// The last line of a message.
enum MessageEnd {
    /// A message without its end.
    struct Cut: Error {}

    case count(Int)
    case error(Record.Fields)

    /// Reads a line; nil if it is a record.
    init?(_ line: ArraySlice<UInt8>) throws {
        guard line.starts(with: #"{"end""#.utf8) || line.starts(with: #"{"error""#.utf8) else { return nil }
        let map = try Message.map(in: line)
        if case .map(let error)? = map["error"] {
            self = .error(error)
        } else {
            self = .count(try map.integer("end"))
        }
    }

    func check(count: Int) throws {
        switch self {
        case .count(let expected): if count != expected { throw Cut() }
        case .error(let error): throw try ErrorForm.error(from: error, records: [], batch: nil)
        }
    }
}

/// Records of a message while they arrive.
struct ArrivingRecords: AsyncIteratorProtocol {
    private var pieces: DatabaseSequence<[UInt8]>.Iterator
    private var unread: [UInt8] = []
    private var count = 0
    private var hasMap = false
    private var isAtEnd = false

    init(_ body: RecordHTTPBody) { pieces = body.makeAsyncIterator() }

    /// The records of the next lines; nil after the end of the message.
    mutating func next() async throws -> [Record]? {
        while !isAtEnd {
            guard let piece = try await pieces.next() else { throw MessageEnd.Cut() }
            unread += piece
            guard let last = unread.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            var lines = unread[...last]
            unread.removeSubrange(...last)
            if !hasMap, let first = lines.firstIndex(of: UInt8(ascii: "\n")) {
                _ = try Message.map(in: lines[..<first])
                lines = lines[(first + 1)...]
                hasMap = true
            }
            let start = lines.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lines.startIndex
            let end = lines.isEmpty ? nil : try MessageEnd(lines[start...].dropLast())
            if end != nil { lines = lines[..<start] }
            var reader = RecordLineReader(Array(lines))
            var records: [Record] = []
            while let record = try reader.next() { records.append(record) }
            count += records.count
            if let end {
                try end.check(count: count)
                isAtEnd = true
            }
            if !records.isEmpty { return records }
        }
        return nil
    }
}
