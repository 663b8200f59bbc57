/// Records that come one after the other from a database.
public struct RecordSequence: AsyncSequence, Sendable {
    /// A record.
    public typealias Element = Record

    private let makeNext: @Sendable () -> () async throws -> Record?

    /// Makes a sequence; for databases.
    ///
    /// - Parameter makeNext: Called for each iteration of the sequence. Gives a closure that gives one record after
    ///   the other, and nil behind the last one.
    public init(_ makeNext: @escaping @Sendable () -> () async throws -> Record?) {
        self.makeNext = makeNext
    }

    /// Makes a sequence of records that are there already.
    ///
    /// - Parameter records: The records.
    public init(_ records: [Record]) {
        self.init {
            var rest = records[...]
            return { rest.popFirst() }
        }
    }

    /// Begins at the first record.
    public func makeAsyncIterator() -> Iterator { Iterator(nextRecord: makeNext()) }

    /// Goes from record to record.
    public struct Iterator: AsyncIteratorProtocol {
        let nextRecord: () async throws -> Record?

        /// The next record, nil behind the last one.
        ///
        /// - Throws: What keeps the database from reading.
        public mutating func next() async throws -> Record? { try await nextRecord() }
    }
}

extension RecordSequence: CustomStringConvertible {
    /// The name of the type: the records are not known before they are read.
    public var description: String { "RecordSequence (read when iterated)" }
}

extension RecordSequence: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
