#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ByteCursor {
    @inline(__always)
    mutating func version() throws(RecordFormatError) {
        let start = offset
        let version = try byte()
        guard version == BinaryFormat.version else {
            throw RecordFormatError(.unknownVersion, at: start, number: Int(version))
        }
    }

    /// An ID; its type shares its memory with earlier IDs of the type.
    @inline(__always)
    mutating func id(_ types: inout TypeTexts) throws(RecordFormatError) -> Record.ID {
        let start = offset
        let type = try types.text(try slice(Int(try byte())), at: start)
        let middle = offset
        let bytes = try slice(Int(try byte()))
        let name = try Self.text(bytes, at: middle + 1)
        if !bytes.isPlainName, let fault = Record.ID.validationError(forName: name) {
            throw RecordFormatError(.invalidID, at: middle, reason: fault)
        }
        return Record.ID(checkedType: type, name: name)
    }

    @inline(__always)
    package mutating func metadata() throws(RecordFormatError) -> Record.Metadata? {
        let start = offset
        switch try byte() {
        case 0: return nil
        case 1: return Record.Metadata(changeTag: try text(), creationDate: try date(), modificationDate: try date())
        case let mark: throw RecordFormatError(.unknownMetadataMark, at: start, number: Int(mark))
        }
    }

    @inline(__always)
    mutating func kind() throws(RecordFormatError) -> BinaryFormat.Kind {
        let start = offset
        let byte = try byte()
        guard let kind = BinaryFormat.Kind(rawValue: byte) else {
            throw RecordFormatError(.unknownKind, at: start, number: Int(byte))
        }
        return kind
    }

    /// The content of a value; nil for a list or a map.
    @inline(__always)
    mutating func scalar(
        _ kind: BinaryFormat.Kind, _ types: inout TypeTexts
    ) throws(RecordFormatError) -> Record.Value? {
        switch kind {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .int:
            let bits = try varint()
            return .int(Int64(bitPattern: bits &>> 1 ^ (0 &- (bits & 1))))
        case .double: return .double(try double())
        case .string: return .string(try text())
        case .date: return .date(try date())
        case .bytes: return .bytes(try slice(try length()).data)
        case .location: return .location(try location())
        case .reference: return .reference(Record.Reference(to: try id(&types)))
        case .link: return .reference(Record.Reference(to: try id(&types), isLink: true))
        case .owningReference: return .reference(Record.Reference(to: try id(&types), action: .deleteSelf))
        case .owningLink:
            return .reference(Record.Reference(to: try id(&types), action: .deleteSelf, isLink: true))
        case .serverTimestamp: return .serverTimestamp
        case .asset: return .asset(try asset(&types))
        case .list, .map: return nil
        }
    }

    private mutating func asset(_ types: inout TypeTexts) throws(RecordFormatError) -> RecordAsset {
        let start = offset
        let (id, size) = (try id(&types), Int64(bitPattern: try varint()))
        guard id.type == RecordAsset.contentRecordType, RecordAsset.isHash(id.name), size >= 0 else {
            throw RecordFormatError(.invalidAsset, at: start)
        }
        return RecordAsset(
            checkedHash: id.name, size: size, contentType: try optionalText(), fileName: try optionalText())
    }

    private mutating func optionalText() throws(RecordFormatError) -> String? {
        let start = offset
        switch try byte() {
        case 0: return nil
        case 1: return try text()
        default: throw RecordFormatError(.invalidAsset, at: start)
        }
    }

    private mutating func location() throws(RecordFormatError) -> Location {
        let start = offset
        let (latitude, longitude) = (try double(), try double())
        do {
            return try Location(latitude: latitude, longitude: longitude)
        } catch {
            throw RecordFormatError(.invalidLocation, at: start)
        }
    }
}
