package import NestedRecords

extension ChangeToken {
    /// The number of the last batch, in a database that numbers its batches.
    package var position: UInt64 { (try? place(in: store).position) ?? 0 }

    /// The mark of that batch.
    package var mark: UInt64 { (try? place(in: store).mark) ?? 0 }
}
