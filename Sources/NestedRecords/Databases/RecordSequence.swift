/// An asynchronous sequence of records from a database.
public struct RecordSequence: AsyncSequence, Sendable {
    /// A record.
    public typealias Element = Record

    /// The state of one iteration of a sequence.
    ///
    /// A closure must not keep this state in captured variables: Swift's optimizer may release them while the closure
    /// is suspended.
    public protocol Source: AsyncIteratorProtocol where Element == Record {}

    private let makeSource: @Sendable () -> any Source

    /// Makes a sequence that reads records one by one, for implementations of databases.
    ///
    /// - Parameter makeSource: Called for each iteration of the sequence.
    public init(_ makeSource: @escaping @Sendable () -> any Source) { self.makeSource = makeSource }

    /// Makes a sequence of records that are read together, when the first is requested, for implementations of
    /// databases.
    ///
    /// - Parameter read: Called once for each iteration of the sequence.
    public init(reading read: @escaping @Sendable () async throws -> [Record]) {
        self.init(pages: { SinglePage(read: read) })
    }

    /// Makes a sequence of records that are read page by page.
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

    /// Makes an iterator at the first record.
    public func makeAsyncIterator() -> Iterator { Iterator(makeSource()) }

    /// Iterates over the records.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: any Source

        fileprivate init(_ source: any Source) { self.source = source }

        /// The next record, nil after the last one.
        ///
        /// - Throws: Errors of reading.
        public mutating func next() async throws -> Record? { try await source.next() }
    }
}

/// Pages of records, read one after the other.
package protocol RecordPageSource: Sendable {
    /// The next records; nil after the last page, also on repeated calls.
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

/// A single page of records.
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
    /// The name of the type: the records are not available before iteration.
    public var description: String { "RecordSequence (read when iterated)" }
}

extension RecordSequence: ChildlessReflectable {}
