/// Notes the records that refer to those of a batch, in a scan of records in their binary form.
///
/// Only records that refer to one of them are decoded.
package struct BinaryReferrerCheck: BinaryRecordVisitor {
    package private(set) var check: ReferrerCheck
    private let targets: IDInterner
    private var reader = RecordReader()

    package init(_ batch: RecordBatch) {
        check = ReferrerCheck(batch)
        targets = IDInterner(check.targets)
    }

    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        let refers = try RecordReader.findReference(in: bytes) { id, _ in
            targets.number(id.hash, where: id.isSame(as:)) != nil
        }
        if refers { check.note(try reader.record(from: bytes)) }
    }
}
