import NestedRecords

/// The records of a page as JSON that is safe in an element `script`.
///
/// A record is a list of its ID and of the names and values of its fields. A value without a form in JavaScript is a
/// list of its kind and its text: a number of JavaScript would lose digits, and an object the order of its names.
struct PageData {
    /// The JSON without its end.
    private(set) var bytes = Array("{\"records\":[".utf8)
    private var isFirst = true

    /// The integers that a number of JavaScript has exactly.
    private static let exactIntegers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    private enum Item {
        case name(String)
        case value(Record.Value)
        case end
    }

    /// Adds a record.
    ///
    /// - Parameter isInside: Whether a reference leads to a record of the page, or to a missing one.
    mutating func add(_ record: Record, where isInside: (Record.ID) -> Bool) {
        var writer = JSONWriter()
        writer.beginList()
        writer.write(record.id.description)
        // Without recursion: deeply nested values would overflow the stack.
        var items: [Item] = [.end] + Self.items(of: record.fields)
        while let item = items.popLast() {
            switch item {
            case .name(let name): writer.write(name)
            case .end: writer.endList()
            case .value(.reference(let reference)): writer.write(reference, isInside: isInside(reference.id))
            case .value(let value):
                guard let contents = value.contents else {
                    Self.write(value, to: &writer)
                    continue
                }
                writer.beginList(of: value.kind.word)
                items.append(.end)
                switch contents {
                case .list(let elements): items += elements.reversed().map(Item.value)
                case .map(let fields): items += Self.items(of: fields)
                }
            }
        }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        append(writer.bytes)
    }

    /// The whole JSON, with the types and the numbers of their colours.
    func finished(types: some Sequence<String>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginList()
        for (type, colour) in PictureColours.numbers(of: types).sorted(by: { $0.key < $1.key }) {
            writer.beginList()
            writer.write(type)
            writer.write(Int64(colour))
            writer.endList()
        }
        writer.endList()
        var data = self
        data.bytes += "],\"colours\":".utf8
        data.append(writer.bytes)
        return data.bytes + [UInt8(ascii: "}")]
    }

    /// Names and values, the last first.
    private static func items(of fields: Record.Fields) -> [Item] {
        fields.reversed().flatMap { [Item.value($0.value), .name($0.name)] }
    }

    private static func write(_ value: Record.Value, to writer: inout JSONWriter) {
        switch value.plainScalar {
        case .null?: writer.writeNull()
        case .bool(let value)?: writer.write(value)
        case .int(let value)? where exactIntegers.contains(value): writer.write(value)
        case .text(let text)? where value.kind == .string: writer.write(text)
        case .int?, .double?, .text?, nil:
            writer.beginList(of: value.kind.word)
            writer.write(value.plainText)
            writer.endList()
        }
    }

    /// Appends JSON without `<`, which could end the element, and without invisible characters.
    private mutating func append(_ json: [UInt8]) {
        for byte in VisibleText.json(String(decoding: json, as: UTF8.self)).utf8 {
            if byte == UInt8(ascii: "<") { bytes += #"\u003c"#.utf8 } else { bytes.append(byte) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func beginList(of kind: String) {
        beginList()
        write(plain: kind)
    }

    fileprivate mutating func write(_ reference: Record.Reference, isInside: Bool) {
        beginList(of: "reference")
        write(reference.id.description)
        if reference.isLink { write(plain: "link") }
        if reference.action != .none { write(plain: reference.action.rawValue) }
        if !isInside { write(plain: "outside") }
        endList()
    }
}
