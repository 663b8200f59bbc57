/// Writes JSON into a buffer of bytes.
///
/// It adds the commas, the colons, and with ``Layout/pretty`` line breaks and indentation. The calls must form a
/// document: a key before each value of an object, and an end for each beginning.
package struct JSONWriter: Sendable {
    package enum Layout: Sendable {
        case compact
        case pretty
    }

    package private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    private var isFirst = true
    private var isAfterKey = false

    package init(_ layout: Layout = .compact) {
        self.layout = layout
    }

    /// Takes the written bytes out of the buffer, within a document or after one.
    package mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.count)
        return taken
    }

    mutating func removeBytes(from count: Int) {
        bytes.removeSubrange(count...)
        (depth, isFirst, isAfterKey) = (0, true, false)
    }

    /// Replaces a value of the outermost object by null, from its first byte on.
    mutating func replaceValue(from count: Int) {
        bytes.removeSubrange(count...)
        (depth, isFirst, isAfterKey) = (1, false, false)
        append("null")
    }

    package mutating func endLine() { bytes.append(0x0A) }
}

// MARK: Values

extension JSONWriter {
    package mutating func writeNull() { write(word: "null") }

    package mutating func write(_ value: Bool) { write(word: value ? "true" : "false") }

    package mutating func write(_ value: Int64) {
        beginValue()
        if (0..<10).contains(value) {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: value))
        } else {
            append(value.description)
        }
    }

    package mutating func write(_ value: Double) {
        beginValue()
        append(value.description)
    }

    package mutating func write(_ value: String) {
        beginValue()
        append(quoted: value)
    }

    package mutating func write(plain value: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        append(value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a value that is JSON already.
    package mutating func write(json value: String) {
        beginValue()
        append(value)
    }

    private mutating func write(word: String) {
        beginValue()
        append(word)
    }
}

// MARK: Lists and objects

extension JSONWriter {
    package mutating func beginList() { begin(UInt8(ascii: "[")) }

    package mutating func endList() { end(UInt8(ascii: "]")) }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }

    package mutating func endObject() { end(UInt8(ascii: "}")) }

    package mutating func writeKey(_ key: String) {
        beginValue()
        append(quoted: key)
        endKey()
    }

    package mutating func writeKey(plain key: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        append(key)
        bytes.append(UInt8(ascii: "\""))
        endKey()
    }

    private mutating func endKey() {
        bytes.append(UInt8(ascii: ":"))
        if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    private mutating func begin(_ bracket: UInt8) {
        beginValue()
        bytes.append(bracket)
        depth += 1
        isFirst = true
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if !isFirst { beginLine() }
        bytes.append(bracket)
        isFirst = depth == 0
    }

    @inline(__always)
    private mutating func beginValue() {
        if isAfterKey {
            isAfterKey = false
            return
        }
        guard depth > 0 else { return }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        beginLine()
    }

    private mutating func beginLine() {
        guard layout == .pretty else { return }
        bytes.append(0x0A)
        for _ in 0..<(2 * depth) { bytes.append(UInt8(ascii: " ")) }
    }
}

// MARK: Bytes

extension JSONWriter {
    @inline(__always)
    private mutating func append(_ text: String) { bytes.append(utf8Of: text) }

    @inline(__always)
    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        text.withBytesInPlace { JSONEscapes.append($0, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }
}
