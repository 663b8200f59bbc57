#if PostgreSQL
import CPostgreSQL

/// A statement with its parameters.
///
/// Its text contains no values, and no names except those of the library's own tables and of the schema.
struct Statement: Sendable {
    let purpose: String
    let text: String
    let parameters: [Parameter]

    /// Whether a connection keeps the statement, so that the server does not parse and plan it for each execution.
    let isKept: Bool

    init(_ purpose: String, _ text: String, _ parameters: [Parameter] = [], isKept: Bool = false) {
        self.purpose = purpose
        self.text = text
        self.parameters = parameters
        self.isKept = isKept
    }
}

struct Parameter: Sendable {
    /// The OID of the type on the server; the built-in types have the same everywhere.
    let type: Oid
    let bytes: [UInt8]

    private init(_ type: ServerType, _ bytes: [UInt8]) {
        self.type = type.rawValue
        self.bytes = bytes
    }

    private enum ServerType: Oid {
        case bool = 16
        case bytes = 17
        case integer = 20
        case integers = 1_016
        case text = 25
        case double = 701
        case doubles = 1_022
        case transaction = 5_069
        case texts = 1_009
        case byteLists = 1_001
        case json = 114
        case jsonTexts = 199
    }

    static func bool(_ value: Bool) -> Parameter { Parameter(.bool, [value ? 1 : 0]) }

    static func text(_ value: String) -> Parameter { Parameter(.text, Array(value.utf8)) }

    static func bytes(_ value: [UInt8]) -> Parameter { Parameter(.bytes, value) }

    static func double(_ value: Double) -> Parameter { Parameter(.double, value.bitPattern.bigEndianBytes) }

    static func integer(_ value: Int64) -> Parameter { Parameter(.integer, value.bigEndianBytes) }

    static func transaction(_ value: UInt64) -> Parameter { Parameter(.transaction, value.bigEndianBytes) }

    static func texts(_ values: some Collection<String?>) -> Parameter {
        array(.texts, of: .text, values) { $1 += $0.utf8 }
    }

    static func integers(_ values: some Collection<Int64?>) -> Parameter {
        array(.integers, of: .integer, values) { $1 += $0.bigEndianBytes }
    }

    static func doubles(_ values: some Collection<Double?>) -> Parameter {
        array(.doubles, of: .double, values) { $1 += $0.bitPattern.bigEndianBytes }
    }

    static func byteLists(_ values: some Collection<[UInt8]?>) -> Parameter {
        array(.byteLists, of: .bytes, values) { $1 += $0 }
    }

    /// - Parameter values: JSON texts in UTF-8.
    static func jsonTexts(_ values: some Collection<[UInt8]?>) -> Parameter {
        array(.jsonTexts, of: .json, values) { $1 += $0 }
    }

    /// An array of one dimension: the number of dimensions, whether there are nulls, the type of the elements, their
    /// number, the index of the first one, and each element after its length.
    private static func array<Element>(
        _ type: ServerType, of elementType: ServerType, _ values: some Collection<Element?>,
        _ append: (Element, inout [UInt8]) -> Void
    ) -> Parameter {
        var bytes: [UInt8] = []
        let hasNulls = values.contains { $0 == nil }
        bytes += Int32(values.isEmpty ? 0 : 1).bigEndianBytes
        bytes += Int32(hasNulls ? 1 : 0).bigEndianBytes
        bytes += elementType.rawValue.bigEndianBytes
        guard !values.isEmpty else { return Parameter(type, bytes) }
        bytes += Int32(truncatingIfNeeded: values.count).bigEndianBytes + Int32(1).bigEndianBytes
        for value in values {
            guard let value else {
                bytes += Int32(-1).bigEndianBytes
                continue
            }
            let start = bytes.count
            bytes += [0, 0, 0, 0]
            append(value, &bytes)
            let length = Int32(truncatingIfNeeded: bytes.count - start - 4).bigEndianBytes
            for (position, byte) in length.enumerated() { bytes[start + position] = byte }
        }
        return Parameter(type, bytes)
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    init?(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        guard bytes.count == MemoryLayout<Self>.size else { return nil }
        self = Self(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}

extension [String?] {
    var arrayText: String {
        var text = "{"
        for (position, element) in enumerated() {
            if position > 0 { text += "," }
            guard let element else {
                text += "NULL"
                continue
            }
            text += "\""
            for scalar in element.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
        return text + "}"
    }
}

extension String {
    /// The string as a quoted identifier.
    ///
    /// Not as characters: the server sees the quote in a quote and a combining mark, which are one character.
    var asIdentifier: String {
        let doubled = unicodeScalars.replacing("\"".unicodeScalars, with: "\"\"".unicodeScalars)
        return "\"" + String(doubled) + "\""
    }

    /// The string as a quoted literal, in a statement that an error proposes; everything but printable ASCII is
    /// escaped.
    var asLiteral: String {
        let parts = unicodeScalars.map { scalar in
            switch scalar {
            case "'", "\\": "\\\(scalar)"
            case " "..."~": "\(scalar)"
            default: "\\U" + String(String(UInt64(scalar.value) + 1 << 32, radix: 16).dropFirst())
            }
        }
        return "E'" + parts.joined() + "'"
    }
}
#endif
