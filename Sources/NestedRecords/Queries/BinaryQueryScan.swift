/// A record in its binary form, of which a query reads what it names.
struct BinarySource: FieldSource, Sendable {
    private var fields: QueryFields
    private var reader = RecordReader()

    /// The record that is read; its bytes are there from ``open(_:)`` to ``close()``, and it is not used otherwise.
    private var record = BinaryRecord()

    /// What was wrong with the bytes of a field.
    private var failure: RecordFormatError?
    private var hasFailed = false

    init(_ fields: QueryFields) { self.fields = fields }

    /// Begins to read a record, whose bytes are there until ``close()``.
    ///
    /// - Throws: ``RecordFormatError`` if the bytes are not those of a record.
    mutating func open(_ bytes: BytesInPlace) throws(RecordFormatError) {
        do throws(RecordFormatError) {
            try record.open(bytes, &reader)
        } catch {
            throw detailed(error, bytes)
        }
    }

    /// Ends reading.
    ///
    /// - Throws: ``RecordFormatError`` if a field that was asked for has none of the forms of values. Other fields may be
    ///   anything.
    @inline(__always)
    mutating func close() throws(RecordFormatError) {
        if hasFailed, let failure { throw detailed(failure, record.bytes) }
    }

    private mutating func fail(_ error: RecordFormatError) {
        if !hasFailed { failure = error }
        hasFailed = true
    }

    /// The error with the record and the field, which only the reader of whole records knows.
    private func detailed(_ error: RecordFormatError, _ bytes: BytesInPlace) -> RecordFormatError {
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

/// Finds the records of a page among all records in their binary form, one after the other.
///
/// It makes no record, and reads of each one the fields that the query names. It holds as many numbers of records as the
/// page has.
package struct BinaryQueryScan: BinaryRecordVisitor {
    private var finder: PageFinder<BinarySource, UInt64>

    /// - Parameters:
    ///   - query: The query.
    ///   - targets: For each term of the filter that follows references, by its position, the records that they may
    ///     lead to.
    /// - Throws: ``RecordQueryError``.
    package init(_ query: RecordQuery, targets: [Int: Set<Record.ID>]) throws {
        finder = try PageFinder(query, targets: targets, BinarySource.init)
    }

    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        try finder.visit(bytes, at: location)
    }

    /// Whether more records fit than the page has: then whoever shows the records in the order of the query may stop.
    package var hasMore: Bool { finder.hasMore }

    /// The locations of the records of the page, in the order of the query.
    package var locations: [UInt64] { finder.items }

    /// The page.
    ///
    /// - Parameters:
    ///   - records: The records at the ``locations``.
    ///   - examinedElsewhere: How many records of other types were looked at.
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

/// Finds the IDs of the records for which a part of a filter holds, among records in their binary form.
package struct BinaryMatcher: BinaryRecordVisitor {
    private let predicate: RecordPredicate
    private var source: BinarySource

    /// The records for which it holds.
    package private(set) var ids: Set<Record.ID> = []

    /// How many records were looked at.
    package private(set) var examinedCount = 0

    /// - Throws: ``RecordQueryError``.
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
}

/// Finds the references to some records, among records in their binary form.
///
/// A record is made only of what refers to one of them.
package struct BinaryReferrers: BinaryRecordVisitor {
    private let targets: IDInterner
    private let ids: Set<Record.ID>
    private var reader = RecordReader()

    /// For each of the records that is referred to, the references.
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
