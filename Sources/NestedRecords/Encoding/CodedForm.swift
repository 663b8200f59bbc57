#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a type of Foundation writes if it is handed an encoder, where a field has a form of its own for the type.
///
/// Such a value becomes the same as one that is handed to a container, so that both ways can be mixed.
enum CodedForm {
    /// A map with the parts of a `Decimal`.
    case decimal

    /// A map with the parts of a `URL`.
    case url

    /// A list with this number of bytes.
    case bytes(count: Int)

    private static let decimalKeys = ValueEncoder.written(by: Decimal()).keys
    private static let urlKeys = URL(string: "a").flatMap { ValueEncoder.written(by: $0).keys }

    /// The form whose parts have these keys; nil for keys of other types.
    init?(keys: Any.Type) {
        switch ObjectIdentifier(keys) {
        case Self.decimalKeys: self = .decimal
        case Self.urlKeys: self = .url
        default: return nil
        }
    }

    /// The value that a field holds; nil if what was written is not of this form, or is a URL with a base.
    func fieldValue(of written: Record.Value) -> Record.Value? {
        switch (self, written) {
        case (.decimal, .map(let parts)): Decimal(parts: parts)?.fieldValue
        case (.url, .map(let parts)) where parts["base"] == nil: URL(relativePart: parts)?.fieldValue
        case (.bytes(let count), .list(let bytes)) where bytes.count == count:
            .bytes(Data(bytes.compactMap(UInt8.read)))
        default: nil
        }
    }

    /// What a type of this form would have written; nil where a field does not hold a value of the type.
    func parts(of value: Record.Value) -> Record.Fields? {
        let written: Record.Value? =
            switch self {
            case .decimal: Decimal.read(value).map { ValueEncoder.written(by: $0).value }
            case .url: URL.read(value).map { ValueEncoder.written(by: $0).value }
            case .bytes: nil
            }
        if case .map(let parts)? = written { return parts }
        return nil
    }
}

extension ValueEncoder {
    /// What a value writes if it is handed an encoder, and the type of its keys.
    static func written(by value: some Encodable) -> (value: Record.Value, keys: ObjectIdentifier?) {
        let call = EncodingCall.begin(RecordEncoder())
        defer { call.end() }
        let coder = Coder(frame: EncodingFrame(call))
        coder.frame.own.keepsCodedForm = true
        try? value.encode(to: ValueEncoder(coder: coder))
        return (coder.frame.takeValue(), coder.state.keyType)
    }
}

extension URL {
    fileprivate init?(relativePart parts: Record.Fields) {
        guard case .string(let relative)? = parts["relative"], let url = URL(string: relative) else { return nil }
        self = url
    }
}

extension Decimal {
    /// The number of a mantissa in 16 bits each, the lowest first, and an exponent of 10.
    fileprivate init?(parts: Record.Fields) {
        guard let exponent = parts["exponent"].flatMap(Int.read), let length = parts["length"].flatMap(Int.read),
            let isNegative = parts["isNegative"].flatMap(Bool.read), case .list(let mantissa)? = parts["mantissa"]
        else { return nil }
        if length == 0 {
            self = isNegative ? .nan : 0
            return
        }
        var words = mantissa.prefix(length).compactMap(UInt16.read)
        guard words.count == length else { return nil }
        var digits: [UInt8] = []
        while words.contains(where: { $0 > 0 }) {
            var rest = 0
            for position in words.indices.reversed() {
                let part = rest << 16 + Int(words[position])
                words[position] = UInt16(part / 10)
                rest = part % 10
            }
            digits.append(UInt8(ascii: "0") + UInt8(rest))
        }
        let significand = String(decoding: digits.reversed(), as: UTF8.self)
        self.init(string: "\(isNegative ? "-" : "")\(significand)e\(exponent)")
    }
}
