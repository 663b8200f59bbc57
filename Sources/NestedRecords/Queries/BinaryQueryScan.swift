struct BinarySource: FieldSource, Sendable {
    private var fields: QueryFields
    private var reader = RecordReader()

    /// The current record; its bytes are valid from ``open(_:)`` to ``close()``, and it is not used otherwise.
    private var record = BinaryRecord()

    private var failure: RecordFormatError?
    private var hasFailed = false

    init(_ fields: QueryFields) { self.fields = fields }

    var readsMetadata: Bool { fields.readsMetadata }

    mutating func open(_ bytes: BytesInPlace) throws(RecordFormatError) {
        do throws(RecordFormatError) {
            try record.open(bytes, &reader)
        } catch {
            throw detailed(error, bytes)
        }
    }

    @inline(__always)
    mutating func open(_ parts: RecordParts) { record.open(parts) }

    @inline(__always)
    mutating func close() throws(RecordFormatError) {
        if hasFailed, let failure { throw detailed(failure, record.bytes) }
    }

    private mutating func fail(_ error: RecordFormatError) {
        if !hasFailed { failure = error }
        hasFailed = true
    }

    /// The error with the record and the field, which only the reader of whole records finds.
    ///
    /// The owner of a record in parts reads it again.
    private func detailed(_ error: RecordFormatError, _ bytes: BytesInPlace) -> RecordFormatError {
        if record.isInParts { return error }
        var reader = RecordReader()
        do throws(RecordFormatError) {
            _ = try reader.record(from: bytes)
            return error
        } catch {
            return error
        }
    }

    mutating func appendName(to bytes: inout [UInt8]) {
        do throws(RecordFormatError) {
            bytes.append(contentsOf: try record.name())
        } catch {
            fail(error)
        }
    }

    var recordName: String {
        mutating get {
            do throws(RecordFormatError) {
                return try ByteCursor.text(record.name(), at: 0)
            } catch {
                fail(error)
                return ""
            }
        }
    }

    var metadata: Record.Metadata? {
        mutating get {
            do throws(RecordFormatError) {
                return try record.metadata()
            } catch {
                fail(error)
                return nil
            }
        }
    }

    @inline(__always)
    mutating func with<Result>(field number: Int, _ body: (Record.Value) -> Result) -> Result? {
        guard let position = fields.position(of: number, in: record.shape) else { return nil }
        do throws(RecordFormatError) {
            return body(try record.value(at: position, &reader))
        } catch {
            fail(error)
            return nil
        }
    }
}

/// Finds the records of a page in a scan of records in their binary form.
///
/// It makes no records, and reads only the fields that the query names. It holds as many locations as the page has
/// records.
package struct BinaryQueryScan: BinaryRecordVisitor {
    private var finder: PageFinder<BinarySource, UInt64>

    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>]) throws {
        finder = try PageFinder(query, targets: targets, BinarySource.init)
    }

    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        try finder.visit(bytes, at: location)
    }

    /// Whether the metadata of the records are read.
    package var readsMetadata: Bool { finder.source.readsMetadata }

    package mutating func visit(_ parts: RecordParts, at location: UInt64) throws {
        finder.source.open(parts)
        finder.examine(location)
        try finder.source.close()
    }

    package var hasMore: Bool { finder.hasMore }
    package var foundCount: Int { finder.foundCount }

    package var locations: [UInt64] { finder.items }

    package func page(of records: [Record], examinedElsewhere: Int) -> RecordPage {
        finder.page(of: records, examinedElsewhere: examinedElsewhere)
    }
}

extension PageFinder where Fields == BinarySource, Item == UInt64 {
    fileprivate mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws(RecordFormatError) {
        try source.open(bytes)
        examine(location)
        try source.close()
    }
}

/// Finds the IDs of the records that match a part of a filter, in a scan of records in their binary form.
package struct BinaryMatcher: BinaryRecordVisitor {
    private let predicate: RecordPredicate
    private var source: BinarySource
    package private(set) var ids: Set<Record.ID> = []
    package private(set) var examinedCount = 0

    package init(_ part: RecordFilterPart) throws {
        var fields = QueryFields()
        predicate = try RecordPredicate(part, fields: &fields)
        source = BinarySource(fields)
    }

    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        examinedCount += 1
        try source.open(bytes)
        let holds = predicate.holds(for: &source)
        try source.close()
        if holds { ids.insert(try RecordReader.id(from: bytes)) }
    }

    /// Whether the metadata of the records are read.
    package var readsMetadata: Bool { source.readsMetadata }

    /// - Parameter id: The ID of the record, asked for if it matches.
    package mutating func visit(_ parts: RecordParts, id: () throws -> Record.ID) throws {
        examinedCount += 1
        source.open(parts)
        let holds = predicate.holds(for: &source)
        try source.close()
        if holds { ids.insert(try id()) }
    }
}

/// Finds the references to some records, in a scan of records in their binary form.
///
/// Only records that refer to one of them are decoded.
package struct BinaryReferrers: BinaryRecordVisitor {
    private let targets: IDInterner
    private let ids: Set<Record.ID>
    private var reader = RecordReader()
    package private(set) var found: [Record.ID: [RecordReferrer]] = [:]

    package init(to ids: [Record.ID]) {
        targets = IDInterner(ids)
        self.ids = Set(ids)
    }

    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        let refers = try RecordReader.findReference(in: bytes) { id, _ in
            targets.number(id.hash, where: id.isSame(as:)) != nil
        }
        if refers { try reader.record(from: bytes).collectReferrers(to: ids, into: &found) }
    }
}
