extension RecordDecoder {
    /// A decoded value, and what it took to get it.
    public struct Resolution<Value> {
        /// The value.
        public let value: Value

        /// The references that were left out because their records are missing, in the order in which they were met.
        public let dropped: [DanglingReference]

        /// The number of calls of the database.
        public let callCount: Int

        /// The number of levels of references that were fetched, the root's among them.
        public let levelCount: Int

        /// The number of records that were there to decode from.
        public let recordCount: Int

        /// The number of times that decoding was tried, until nothing was left to learn about the types.
        public let passCount: Int

        let source: ResolvedRecords
    }
}

extension RecordDecoder.Resolution {
    /// The records that the value was decoded from, with their metadata, and the decoded records as roots.
    ///
    /// The baseline to save a changed value from, with ``RecordDatabase/save(_:changedFrom:options:)``.
    ///
    /// - Complexity: O(*n*) for *n* fields and list elements, each time.
    public var graph: RecordGraph {
        RecordGraph(roots: source.roots, records: source.records, index: source.index)
    }

    func map<Other>(_ value: Other) -> RecordDecoder.Resolution<Other> {
        RecordDecoder.Resolution<Other>(
            value: value, dropped: dropped, callCount: callCount, levelCount: levelCount, recordCount: recordCount,
            passCount: passCount, source: source)
    }
}

/// The records of a resolution, in no special order.
struct ResolvedRecords: Sendable {
    let roots: [Record.ID]
    let records: ContiguousArray<Record>
    let index: RecordIndex
}

extension RecordDecoder.Resolution: Sendable where Value: Sendable {}

extension RecordDecoder.Resolution: CustomStringConvertible {
    /// The type of the value and the numbers of records, calls, levels and passes in one line, and a line for each of
    /// the first references that were left out.
    public var description: String {
        let counts = [callCount.counted("call"), levelCount.counted("level"), passCount.counted("pass", "passes")]
        let lines = dropped.prefix(3).map { "left out: \($0)" }
        let rest = dropped.count > 3 ? ["and \((dropped.count - 3).counted("more reference"))"] : []
        let first = "\(Value.self) from \(recordCount.counted("record")): \(counts.joined(separator: ", "))"
        return ([first] + lines + rest).joined(separator: "\n")
    }
}

extension RecordDecoder.Resolution: CustomReflectable {
    /// The value and the references that were left out.
    public var customMirror: Mirror { Mirror(self, children: ["value": value, "dropped": dropped]) }
}
