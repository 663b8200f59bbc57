/// JSON of the stand-in server, which uses nothing of the library.
indirect enum StandInJSON: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([StandInJSON])
    case object([(name: String, value: StandInJSON)])

    /// A value that was written before.
    case written([UInt8])

    subscript(name: String) -> StandInJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [StandInJSON]? { if case .list(let list) = self { list } else { nil } }
    var members: [(name: String, value: StandInJSON)]? { if case .object(let members) = self { members } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    static func make(_ members: KeyValuePairs<String, StandInJSON?>) -> StandInJSON {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }
}

// MARK: Writing

extension StandInJSON {
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let value):
            // Integral numbers without a fraction, as most printers of protocol buffers write them.
            let isShort = value.rounded() == value && abs(value) < 1e15 && !(value == 0 && value.sign == .minus)
            bytes += (isShort ? "\(Int64(value))" : "\(value)").utf8
        case .text(let text): Self.write(text, to: &bytes)
        case .written(let value): bytes += value
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { bytes += ",\n".utf8 }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (position, member) in members.enumerated() {
                if position > 0 { bytes += ", ".utf8 }
                Self.write(member.name, to: &bytes)
                bytes += ": ".utf8
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

// MARK: Reading

extension StandInJSON {
    struct Malformed: Error {}

    init(_ bytes: [UInt8]) throws {
        var reader = Reader(bytes: bytes)
        self = try reader.value()
        reader.skipSpace()
        if reader.position < bytes.count { throw Malformed() }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func skipSpace() {
            while let next, [0x20, 0x0A, 0x0D, 0x09].contains(next) { position += 1 }
        }

        mutating func skip(_ character: Unicode.Scalar) throws {
            guard next == UInt8(ascii: character) else { throw Malformed() }
            position += 1
        }

        mutating func skip(word: String) throws { for scalar in word.unicodeScalars { try skip(scalar) } }

        mutating func value() throws -> StandInJSON {
            skipSpace()
            switch next {
            case UInt8(ascii: "n"):
                try skip(word: "null")
                return .null
            case UInt8(ascii: "t"):
                try skip(word: "true")
                return .bool(true)
            case UInt8(ascii: "f"):
                try skip(word: "false")
                return .bool(false)
            case UInt8(ascii: "\""): return .text(try text())
            case UInt8(ascii: "["): return .list(try elements(to: "]") { try $0.value() })
            case UInt8(ascii: "{"):
                return .object(
                    try elements(to: "}") { reader in
                        let name = try reader.text()
                        reader.skipSpace()
                        try reader.skip(":")
                        return (name, try reader.value())
                    })
            default:
                let start = position
                while let next, "+-.0123456789eE".utf8.contains(next) { position += 1 }
                guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
                    throw Malformed()
                }
                return .number(number)
            }
        }

        private mutating func elements<Element>(
            to end: Unicode.Scalar, _ read: (inout Reader) throws -> Element
        ) throws -> [Element] {
            position += 1
            skipSpace()
            var elements: [Element] = []
            if next == UInt8(ascii: end) {
                position += 1
                return elements
            }
            while true {
                skipSpace()
                elements.append(try read(&self))
                skipSpace()
                if next == UInt8(ascii: end) { break }
                try skip(",")
            }
            position += 1
            return elements
        }

        private mutating func text() throws -> String {
            try skip("\"")
            var units: [UInt8] = []
            while true {
                guard let byte = next else { throw Malformed() }
                position += 1
                if byte == UInt8(ascii: "\"") { break }
                guard byte == UInt8(ascii: "\\") else {
                    units.append(byte)
                    continue
                }
                guard let escape = next else { throw Malformed() }
                position += 1
                switch escape {
                case UInt8(ascii: "n"): units.append(0x0A)
                case UInt8(ascii: "r"): units.append(0x0D)
                case UInt8(ascii: "t"): units.append(0x09)
                case UInt8(ascii: "b"): units.append(0x08)
                case UInt8(ascii: "f"): units.append(0x0C)
                case UInt8(ascii: "u"): units += String(try scalar()).utf8
                default: units.append(escape)
                }
            }
            let text = String(decoding: units, as: UTF8.self)
            guard text.utf8.elementsEqual(units) else { throw Malformed() }
            return text
        }

        private mutating func scalar() throws -> Unicode.Scalar {
            let first = try unit()
            if let scalar = Unicode.Scalar(first) { return scalar }
            try skip(word: "\\u")
            let second = try unit()
            guard let scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF) else {
                throw Malformed()
            }
            return scalar
        }

        private mutating func unit() throws -> UInt32 {
            guard position + 4 <= bytes.count,
                let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
            else { throw Malformed() }
            position += 4
            return unit
        }
    }
}
