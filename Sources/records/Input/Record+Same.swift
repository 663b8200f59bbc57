import NestedRecords

extension Record {
    /// Whether another record is this one to the last bit, with its metadata.
    ///
    /// Equality takes 0 for −0, and a text for the same in another Unicode spelling: one of both would be lost.
    func isSame(as other: Record) throws -> Bool {
        guard id == other.id, metadata == other.metadata else { return false }
        return try RecordGraph([self], roots: []).difference(from: RecordGraph([other], roots: [])).isEmpty
    }
}
