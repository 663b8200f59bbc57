package protocol BinaryRecordVisitor: Sendable {
    /// Visits the bytes of exactly one record, valid only for this call; `location` is the caller's number for it.
    mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws
}

/// An ID in its binary form, which may not be valid.
struct BinaryID {
    let bytes: BytesInPlace
    let type: BytesInPlace
    let name: BytesInPlace

    @inline(__always)
    init(_ cursor: inout ByteCursor) throws(RecordFormatError) {
        let start = cursor.offset
        type = try cursor.slice(Int(try cursor.byte()))
        name = try cursor.slice(Int(try cursor.byte()))
        bytes = cursor.bytes(from: start)
    }

    var hash: UInt64 { RecordIndex.hash(ofType: RecordIndex.hash(ofType: type), name: name) }

    @inline(__always)
    func isSame(as id: Record.ID) -> Bool { id.name.hasSameBytes(as: name) && id.type.hasSameBytes(as: type) }

    func id(_ types: inout TypeTexts) throws(RecordFormatError) -> Record.ID {
        var cursor = ByteCursor(bytes)
        return try cursor.id(&types)
    }
}

extension ByteCursor {
    @inline(__always)
    fileprivate mutating func skipMetadata() throws(RecordFormatError) {
        // Other values than 1 mean no metadata, or are refused by the reader of the record.
        guard try byte() == 1 else { return }
        _ = try slice(try length())
        _ = try slice(16)
    }

    /// Skips the content of a value; the elements of a list or a map are added to `missing`, the values to come.
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
        case .reference, .link, .owningReference, .owningLink: _ = try BinaryID(&self)
        case .asset:
            _ = try BinaryID(&self)
            try skipAssetAfterID()
        }
    }

    /// Skips the size of an asset, its media type and the name of its file.
    private mutating func skipAssetAfterID() throws(RecordFormatError) {
        _ = try varint()
        for _ in 0..<2 where try byte() == 1 { _ = try slice(try length()) }
    }

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

    /// Skips values.
    ///
    /// The elements of lists and maps follow in the order of a walk, so that counting is enough, at any depth.
    @inline(__always)
    fileprivate mutating func skipValues(_ count: Int) throws(RecordFormatError) {
        var missing = count
        while missing > 0 {
            missing -= 1
            try skip(try kind(), &missing)
        }
    }

    /// Calls the closure with each reference in values, until it returns true; returns whether it did.
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
                if try isSought(try BinaryID(&self), false) { return true }
            case .owningReference, .owningLink:
                if try isSought(try BinaryID(&self), true) { return true }
            case .asset:
                if try isSought(try BinaryID(&self), false) { return true }
                try skipAssetAfterID()
            default: try skip(kind, &missing)
            }
        }
        return false
    }
}

extension RecordReader {
    /// Calls the closure with each reference in a record, until it returns true; returns whether it did.
    @inline(__always)
    static func findReference(
        in bytes: BytesInPlace,
        where isSought: (BinaryID, _ isOwning: Bool) throws(RecordFormatError) -> Bool
    ) throws(RecordFormatError) -> Bool {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        _ = try BinaryID(&cursor)
        try cursor.skipMetadata()
        let count = try cursor.skipNames()
        return try cursor.findReference(in: count, where: isSought)
    }

    static func binaryID(in bytes: BytesInPlace) throws(RecordFormatError) -> BinaryID {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try BinaryID(&cursor)
    }

    package static func id(from bytes: BytesInPlace) throws(RecordFormatError) -> Record.ID {
        var cursor = ByteCursor(bytes)
        var types = TypeTexts()
        try cursor.version()
        return try cursor.id(&types)
    }

    /// Reads the metadata of a record alone.
    package static func metadata(of bytes: BytesInPlace) throws(RecordFormatError) -> Record.Metadata? {
        // After the version and the ID.
        var cursor = ByteCursor(bytes, at: 1 + (try idBytes(in: bytes).count))
        return try cursor.metadata()
    }

    package static func hasID(_ id: Record.ID, in bytes: BytesInPlace) throws(RecordFormatError) -> Bool {
        try binaryID(in: bytes).isSame(as: id)
    }

    /// The bytes of a record's ID, as ``GrowingBytes`` appends them; they may not be a valid ID.
    package static func idBytes(in bytes: BytesInPlace) throws(RecordFormatError) -> BytesInPlace {
        try binaryID(in: bytes).bytes
    }
}

/// A record in its binary form, whose fields are read one by one.
///
/// It must not be used after its bytes are released: the code that opens a record holds them.
struct BinaryRecord: Sendable {
    private(set) var bytes = BytesInPlace()
    private var block = NameBlock.empty

    /// The name and the metadata, of a record that is stored in parts.
    private var separate: (name: BytesInPlace, version: RecordParts.Version)?

    /// Whether ``bytes`` are the values alone.
    var isInParts: Bool { separate != nil }

    /// The offsets after the ID, after the names, and before the value at the position `next`.
    private var metadataOffset = 0
    private var valuesOffset = 0
    private var offset = 0
    private var next = 0

    mutating func open(_ bytes: BytesInPlace, _ reader: inout RecordReader) throws(RecordFormatError) {
        self.bytes = bytes
        separate = nil
        var cursor = ByteCursor(bytes)
        try cursor.version()
        _ = try BinaryID(&cursor)
        metadataOffset = cursor.offset
        try cursor.skipMetadata()
        try reader.readNames(&cursor, into: &block)
        valuesOffset = cursor.offset
        offset = cursor.offset
        next = 0
    }

    @inline(__always)
    mutating func open(_ parts: RecordParts) {
        bytes = parts.values
        separate = (parts.name, parts.version)
        if block !== parts.names { block = parts.names }
        (valuesOffset, offset, next) = (0, 0, 0)
    }

    /// The names of the fields; nil if there are none.
    var shape: FieldNames? { block.names }

    /// The UTF-8 of the record's name.
    func name() throws(RecordFormatError) -> BytesInPlace {
        if let separate { return separate.name }
        return try RecordReader.binaryID(in: bytes).name
    }

    func metadata() throws(RecordFormatError) -> Record.Metadata? {
        if let separate { return separate.version.metadata }
        var cursor = ByteCursor(bytes, at: metadataOffset)
        return try cursor.metadata()
    }

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
