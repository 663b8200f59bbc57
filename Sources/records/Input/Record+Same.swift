import NestedRecords

extension Record {
    /// Whether another record is this one to the last bit, with its metadata.
    ///
    /// Equality does not distinguish 0 and −0, nor two Unicode spellings of a string: one of both would be lost.
    func isSame(as other: Record) throws -> Bool {
        guard id == other.id, metadata == other.metadata else { return false }
        return try RecordGraph([self], roots: []).difference(from: RecordGraph([other], roots: [])).isEmpty
    }
}
