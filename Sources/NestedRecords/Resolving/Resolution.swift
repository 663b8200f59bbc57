extension RecordDecoder {
    /// A decoded value, and the number of database calls, levels, records and passes that decoding it took.
    public struct Resolution<Value> {
        /// The value.
        public let value: Value

        /// The references that were left out because their records are missing, in the order of decoding.
        public let dropped: [DanglingReference]

        /// The number of calls of the database.
        public let callCount: Int

        /// The number of levels of references that were fetched, including that of the root.
        public let levelCount: Int

        /// The number of records that were available for decoding.
        public let recordCount: Int

        /// The number of attempts to decode, until nothing was left to learn about the types.
        public let passCount: Int

        let source: ResolvedRecords
    }
}

extension RecordDecoder.Resolution {
    /// The records that the value was decoded from, with their metadata, and the decoded records as roots.
    ///
    /// - Complexity: O(*n*) for *n* fields and list elements, for each access.
    public var graph: RecordGraph {
        RecordGraph(roots: source.roots, records: source.records, index: source.index)
    }
}

extension ResolvedRecords {
    init(of call: DecodingCall, roots: [Record.ID], records: ContiguousArray<Record>, index: RecordIndex) {
        guard !records.indices.allSatisfy(call.isReached) else {
            self.init(roots: roots, records: records, index: index)
            return
        }
        let reached = records.indices.filter(call.isReached).map { records[$0] }
        self.init(roots: roots, records: ContiguousArray(reached))
    }
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
