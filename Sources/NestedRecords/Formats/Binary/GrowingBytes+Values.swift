#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension GrowingBytes {
    @inline(__always)
    mutating func append(kind: BinaryFormat.Kind) { append(byte: kind.rawValue) }

    @inline(__always)
    mutating func append(_ metadata: Record.Metadata?) {
        guard let metadata else { return append(byte: 0) }
        append(byte: 1)
        append(text: metadata.changeTag)
        append(word: metadata.creationDate.timeIntervalSinceReferenceDate.bitPattern)
        append(word: metadata.modificationDate.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Appends a value; of a list or a map only its kind, and returns it: the caller must append its contents.
    @inline(__always)
    mutating func append(_ value: Record.Value) -> OpenCollection? {
        switch value {
        case .list:
            append(kind: .list)
            return OpenCollection(value)
        case .map(let fields):
            append(kind: .map)
            return OpenCollection(fields)
        case .null: append(kind: .null)
        case .bool(let value): append(kind: value ? .true : .false)
        case .int(let value):
            append(kind: .int)
            append(varint: UInt64(bitPattern: value &<< 1 ^ value &>> 63))
        case .double(let value):
            append(kind: .double)
            append(word: value.bitPattern)
        case .string(let value):
            append(kind: .string)
            append(text: value)
        case .date(let value):
            append(kind: .date)
            append(word: value.timeIntervalSinceReferenceDate.bitPattern)
        case .bytes(let value):
            append(kind: .bytes)
            append(varint: UInt64(truncatingIfNeeded: value.count))
            value.withBytesInPlace { append(contentsOf: $0) }
        case .location(let value):
            append(kind: .location)
            append(word: value.latitude.bitPattern)
            append(word: value.longitude.bitPattern)
        case .reference(let value):
            append(kind: BinaryFormat.Kind(of: value))
            append(value.id)
        case .asset(let value):
            append(kind: .asset)
            // An ID, so that a search for references finds it without reading the rest.
            append(value.contentID)
            append(varint: UInt64(bitPattern: value.size))
            for text in [value.contentType, value.fileName] {
                append(byte: text == nil ? 0 : 1)
                if let text { append(text: text) }
            }
        case .serverTimestamp: append(kind: .serverTimestamp)
        }
        return nil
    }
}
