/// An asynchronous sequence of what a database holds, read while it is iterated.
///
/// Each iteration reads from the beginning. Nothing is buffered for a slow reader.
public struct DatabaseSequence<Element>: AsyncSequence, Sendable {
    private let makeSource: @Sendable () -> any ElementSource<Element>

    /// Makes a sequence whose elements are read one by one, for implementations of databases.
    ///
    /// The closure must not keep the state of an iteration in captured variables: Swift's optimizer may release them
    /// while the closure is suspended.
    ///
    /// - Parameter makeIterator: Makes the state of one iteration.
    public init<Source: AsyncIteratorProtocol & _SendableMetatypeIfAvailable>(
        _ makeIterator: @escaping @Sendable () -> Source
    )
    where Source.Element == Element {
        makeSource = { IteratorSource(iterator: makeIterator()) }
    }

    /// Makes a sequence whose elements are read page by page, for implementations of databases.
    ///
    /// - Parameter makeIterator: Makes the state of one iteration, which returns nil after the last page, also on
    ///   repeated calls.
    public init<Pages: AsyncIteratorProtocol & _SendableMetatypeIfAvailable>(
        pages makeIterator: @escaping @Sendable () -> Pages
    )
    where Pages.Element == [Element] {
        makeSource = { PagedSource(pages: makeIterator()) }
    }

    /// Makes a sequence whose elements are read together, for implementations of databases.
    ///
    /// - Parameter read: Called when an iteration requests its first element.
    public init(reading read: @escaping @Sendable () async throws -> [Element]) {
        self.init(pages: { SinglePage(read: read) })
    }

    /// Makes a sequence of existing elements.
    ///
    /// - Parameter elements: The elements.
    public init(_ elements: [Element]) where Element: Sendable { self.init(reading: { elements }) }

    /// Makes an iterator at the first element.
    public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    /// Iterates over the elements.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: any ElementSource<Element>

        /// The next element, nil after the last one.
        ///
        /// - Throws: Errors of reading.
        public mutating func next() async throws -> Element? { try await source.next() }
    }
}

/// A sequence of records.
public typealias RecordSequence = DatabaseSequence<Record>

/// An iterator whose error type is erased, which `any AsyncIteratorProtocol` supports on newer systems only.
private protocol ElementSource<Element> {
    associatedtype Element
    mutating func next() async throws -> Element?
}

private struct IteratorSource<Iterator: AsyncIteratorProtocol>: ElementSource {
    var iterator: Iterator

    mutating func next() async throws -> Iterator.Element? { try await iterator.next() }
}

private struct PagedSource<Element, Pages: AsyncIteratorProtocol>: ElementSource where Pages.Element == [Element] {
    var pages: Pages
    var page: ArraySlice<Element> = []

    mutating func next() async throws -> Element? {
        while page.isEmpty, let next = try await pages.next() { page = next[...] }
        return page.popFirst()
    }
}

private struct SinglePage<Element>: AsyncIteratorProtocol {
    let read: @Sendable () async throws -> [Element]
    var isRead = false

    mutating func next() async throws -> [Element]? {
        if isRead { return nil }
        isRead = true
        return try await read()
    }
}

extension DatabaseSequence: CustomStringConvertible {
    /// The type of the elements, which are not available before iteration.
    public var description: String { "Sequence of \(Element.self) (read when iterated)" }
}

extension DatabaseSequence: ChildlessReflectable {}
