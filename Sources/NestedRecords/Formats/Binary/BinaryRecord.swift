/// Something that looks at records in their binary form, one after the other.
package protocol BinaryRecordVisitor: Sendable {
    /// Looks at a record.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the record, and no more; there only for this call.
    ///   - location: A number that the caller gave to the record.
    /// - Throws: ``RecordFormatError``, if these are not the bytes of a record.
    mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws
}

/// An ID in its binary form.
struct BinaryID {
    /// All of it, with the lengths of the type and the name.
    private let bytes: BytesInPlace
    let type: BytesInPlace
    let name: BytesInPlace

    @inline(__always)
    fileprivate init(_ cursor: inout ByteCursor) throws(RecordFormatError) {
        let start = cursor.offset
        type = try cursor.slice(Int(try cursor.byte()))
        name = try cursor.slice(Int(try cursor.byte()))
        bytes = cursor.bytes(from: start)
    }

    /// The hash that the ID has.
    var hash: UInt64 { RecordIndex.hash(ofType: RecordIndex.hash(ofType: type), name: name) }

    func isSame(as id: Record.ID) -> Bool { id.name.hasSameBytes(as: name) && id.type.hasSameBytes(as: type) }

    /// The ID, whose type shares its memory with those that came before.
    func id(_ types: inout TypeTexts) throws(RecordFormatError) -> Record.ID {
        var cursor = ByteCursor(bytes)
        return try cursor.id(&types)
    }
}

extension ByteCursor {
    @inline(__always)
    fileprivate mutating func binaryID() throws(RecordFormatError) -> BinaryID { try BinaryID(&self) }

    /// Goes beyond metadata.
    @inline(__always)
    fileprivate mutating func skipMetadata() throws(RecordFormatError) {
        // Anything but 1 is no metadata, or is refused by the reader of the record.
        guard try byte() == 1 else { return }
        _ = try slice(try length())
        _ = try slice(16)
    }

    /// Goes beyond the content of a value.
    ///
    /// - Parameter missing: How many values are still to come, to which those of a list or a map are added.
    @inline(__always)
    fileprivate mutating func skip(
        _ kind: BinaryFormat.Kind, _ missing: inout Int
    ) throws(RecordFormatError) {
        switch kind {
        case .null, .false, .true, .serverTimestamp: break
        case .int: _ = try varint()
        case .double, .date: _ = try slice(8)
        case .string, .bytes: _ = try slice(try length())
        case .location: _ = try slice(16)
        case .list: missing += try length(reserved: missing)
        case .map: missing += try skipNames()
        case .reference, .link, .owningReference, .owningLink: _ = try binaryID()
        }
    }

    /// Goes beyond a block of names, and returns how many there are.
    fileprivate mutating func skipNames() throws(RecordFormatError) -> Int {
        var names = ByteCursor(try slice(try length()))
        var count = 0
        while names.remaining > 0 {
            _ = try names.slice(try names.length())
            count += 1
        }
        guard count <= remaining else { throw RecordFormatError(.truncated, at: offset) }
        return count
    }

    /// Goes beyond values.
    ///
    /// Lists and maps are in the order in which a walk meets their elements, so counting is enough, whatever the depth.
    @inline(__always)
    fileprivate mutating func skipValues(_ count: Int) throws(RecordFormatError) {
        var missing = count
        while missing > 0 {
            missing -= 1
            try skip(try kind(), &missing)
        }
    }

    /// Calls the closure with each reference in values, until it returns true.
    ///
    /// - Returns: Whether it did.
    @inline(__always)
    fileprivate mutating func findReference(
        in count: Int, where isSought: (BinaryID, _ isOwning: Bool) throws(RecordFormatError) -> Bool
    ) throws(RecordFormatError) -> Bool {
        var missing = count
        while missing > 0 {
            missing -= 1
            let kind = try kind()
            switch kind {
            case .reference, .link:
                if try isSought(try binaryID(), false) { return true }
            case .owningReference, .owningLink:
                if try isSought(try binaryID(), true) { return true }
            default: try skip(kind, &missing)
            }
        }
        return false
    }
}

extension RecordReader {
    /// Calls the closure with each reference in a record, until it returns true.
    ///
    /// - Returns: Whether it did.
    @inline(__always)
    static func findReference(
        in bytes: BytesInPlace,
        where isSought: (BinaryID, _ isOwning: Bool) throws(RecordFormatError) -> Bool
    ) throws(RecordFormatError) -> Bool {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        _ = try cursor.binaryID()
        try cursor.skipMetadata()
        let count = try cursor.skipNames()
        return try cursor.findReference(in: count, where: isSought)
    }

    /// The ID of a record in its binary form.
    static func binaryID(in bytes: BytesInPlace) throws(RecordFormatError) -> BinaryID {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try cursor.binaryID()
    }

    /// Whether the bytes are those of a record of a type.
    package static func isType(_ type: String, of bytes: BytesInPlace) throws(RecordFormatError) -> Bool {
        type.hasSameBytes(as: try binaryID(in: bytes).type)
    }
}

/// A record in its binary form, of which fields are read one by one.
///
/// It is used while its bytes are there, and no longer: whoever opens a record holds them.
struct BinaryRecord: Sendable {
    private(set) var bytes = BytesInPlace()
    private var block = NameBlock.empty

    /// Behind the ID, behind the names, and before the value at the position `next`.
    private var metadataOffset = 0
    private var valuesOffset = 0
    private var offset = 0
    private var next = 0

    /// Goes to another record.
    mutating func open(_ bytes: BytesInPlace, _ reader: inout RecordReader) throws(RecordFormatError) {
        self.bytes = bytes
        var cursor = ByteCursor(bytes)
        try cursor.version()
        _ = try cursor.binaryID()
        metadataOffset = cursor.offset
        try cursor.skipMetadata()
        try reader.readNames(&cursor, into: &block)
        valuesOffset = cursor.offset
        offset = cursor.offset
        next = 0
    }

    /// The names of the fields; nil if there are none.
    var shape: FieldNames? { block.names }

    /// The UTF-8 of the record's name.
    func name() throws(RecordFormatError) -> BytesInPlace { try RecordReader.binaryID(in: bytes).name }

    func metadata() throws(RecordFormatError) -> Record.Metadata? {
        var cursor = ByteCursor(bytes, at: metadataOffset)
        return try cursor.metadata()
    }

    /// The value at a position; those before it are gone beyond.
    mutating func value(
        at position: Int, _ reader: inout RecordReader
    ) throws(RecordFormatError) -> Record.Value {
        if position < next { (offset, next) = (valuesOffset, 0) }
        var cursor = ByteCursor(bytes, at: offset)
        try cursor.skipValues(position - next)
        let value = try reader.value(&cursor)
        (offset, next) = (cursor.offset, position + 1)
        return value
    }
}
