/// Records that come one after the other from a database.
public struct RecordSequence: AsyncSequence, Sendable {
    /// A record.
    public typealias Element = Record

    /// The state of one iteration of a sequence.
    ///
    /// (A closure that changes variables which it has captured is no place for this state: Swift's optimizer may free
    /// such variables while the closure waits.)
    public protocol Source: AsyncIteratorProtocol where Element == Record {}

    private let makeSource: @Sendable () -> any Source

    /// Makes a sequence that reads records step by step; for databases.
    ///
    /// - Parameter makeSource: Called for each iteration of the sequence.
    public init(_ makeSource: @escaping @Sendable () -> any Source) { self.makeSource = makeSource }

    /// Makes a sequence of records that are read at once, when the first one is asked for; for databases.
    ///
    /// - Parameter read: Called once for each iteration of the sequence.
    public init(reading read: @escaping @Sendable () async throws -> [Record]) {
        self.init(pages: { SinglePage(read: read) })
    }

    /// Makes a sequence of records that are read page after page.
    ///
    /// - Parameter makePages: Called for each iteration of the sequence.
    package init(pages makePages: @escaping @Sendable () -> some RecordPageSource) {
        self.init { PagedRecords(pages: makePages()) }
    }

    /// Makes a sequence of existing records.
    ///
    /// - Parameter records: The records.
    public init(_ records: [Record]) {
        self.init(reading: { records })
    }

    /// Begins at the first record.
    public func makeAsyncIterator() -> Iterator { Iterator(makeSource()) }

    /// Goes from record to record.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: any Source

        fileprivate init(_ source: any Source) { self.source = source }

        /// The next record, nil after the last one.
        ///
        /// - Throws: What keeps the database from reading.
        public mutating func next() async throws -> Record? { try await source.next() }
    }
}

/// Lists that are read one after the other.
package protocol RecordPageSource: Sendable {
    /// The next records; nil behind the last ones, also when it is asked again.
    mutating func next() async throws -> [Record]?
}

private struct PagedRecords<Pages: RecordPageSource>: RecordSequence.Source {
    var pages: Pages
    var page: ArraySlice<Record> = []

    mutating func next() async throws -> Record? {
        while page.isEmpty, let next = try await pages.next() { page = next[...] }
        return page.popFirst()
    }
}

/// Records that are read together.
private struct SinglePage: RecordPageSource {
    let read: @Sendable () async throws -> [Record]
    var isRead = false

    mutating func next() async throws -> [Record]? {
        if isRead { return nil }
        isRead = true
        return try await read()
    }
}

extension RecordSequence: CustomStringConvertible {
    /// The name of the type: the records are not known before they are read.
    public var description: String { "RecordSequence (read when iterated)" }
}

extension RecordSequence: ChildlessReflectable {}
