#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ByteCursor {
    mutating func version() throws(RecordFormatError) {
        let start = offset
        let version = try byte()
        guard version == BinaryFormat.version else {
            throw RecordFormatError(.unknownVersion, at: start, number: Int(version))
        }
    }

    /// An ID whose type is mostly the one that came before.
    @inline(__always)
    mutating func id(_ lastType: inout String) throws(RecordFormatError) -> Record.ID {
        let start = offset
        let type = try slice(Int(try byte()))
        if type.isEmpty || !lastType.hasSameBytes(as: type) {
            let text = String(decoding: type, as: UTF8.self)
            guard text.hasSameBytes(as: type) else { throw RecordFormatError(.invalidText, at: start + 1) }
            if let fault = Record.ID.validationError(forType: text) {
                throw RecordFormatError(.invalidID, at: start, reason: fault)
            }
            lastType = text
        }
        let middle = offset
        let name = try text(Int(try byte()))
        if !name.isPlainName, let fault = Record.ID.validationError(forName: name) {
            throw RecordFormatError(.invalidID, at: middle, reason: fault)
        }
        return Record.ID(checkedType: lastType, name: name)
    }

    /// Goes beyond an ID, and returns whether it is this one.
    @inline(__always)
    mutating func isID(_ id: Record.ID) throws(RecordFormatError) -> Bool {
        let type = try slice(Int(try byte()))
        let name = try slice(Int(try byte()))
        return id.name.isText(of: name) && id.type.isText(of: type)
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
        _ kind: BinaryFormat.Kind, _ lastType: inout String
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
        case .bytes: return .bytes(Data(try slice(try length())))
        case .location: return .location(try location())
        case .reference: return .reference(Record.Reference(to: try id(&lastType)))
        case .link: return .reference(Record.Reference(to: try id(&lastType), isLink: true))
        case .owningReference: return .reference(Record.Reference(to: try id(&lastType), action: .deleteSelf))
        case .owningLink:
            return .reference(Record.Reference(to: try id(&lastType), action: .deleteSelf, isLink: true))
        case .serverTimestamp: return .serverTimestamp
        case .list, .map: return nil
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

extension String {
    /// Whether these bytes are the UTF-8 of this string, whatever it is kept in.
    @inline(__always)
    fileprivate func isText(of bytes: UnsafeRawBufferPointer) -> Bool {
        utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
            ?? utf8.elementsEqual(bytes)
    }
}
