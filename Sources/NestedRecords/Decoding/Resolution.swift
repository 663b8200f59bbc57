/// A decoded value, and what it took to get it.
public struct Resolution<Value> {
    /// The value.
    public let value: Value

    /// The references that were left out because their records are missing, in the order in which they were met.
    public let dropped: [DanglingReference]

    /// How often the database was asked.
    public let calls: Int

    /// How many levels of references were fetched, the root's among them.
    public let levels: Int

    /// How many records were there to decode from.
    public let records: Int

    /// How often decoding was tried, until nothing was left to learn about the types.
    public let passes: Int

    let source: ResolvedRecords

    /// The records that the value was decoded from, with their metadata, and the decoded records as roots.
    ///
    /// The baseline to save a changed value from, with ``RecordDatabase/save(_:changedFrom:savePolicy:deletingRemoved:)``.
    ///
    /// - Complexity: O(*n*) for *n* fields and list elements, each time.
    public var graph: RecordGraph {
        RecordGraph(roots: source.roots, records: source.records, index: source.index)
    }

    func map<Other>(_ value: Other) -> Resolution<Other> {
        Resolution<Other>(
            value: value, dropped: dropped, calls: calls, levels: levels, records: records, passes: passes,
            source: source)
    }
}

/// The records of a resolution, in no special order.
struct ResolvedRecords: Sendable {
    let roots: [Record.ID]
    let records: ContiguousArray<Record>
    let index: RecordIndex
}

extension Resolution: Sendable where Value: Sendable {}
