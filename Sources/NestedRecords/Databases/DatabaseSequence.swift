/// An asynchronous sequence of what a database holds, read while it is iterated.
///
/// Each iteration reads from the beginning. Nothing is buffered for a slow reader.
public struct DatabaseSequence<Element>: AsyncSequence, Sendable {
    private let makeSource: @Sendable () -> any PageSource<Element>

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

    /// The elements that satisfy a condition.
    package func filtered(_ isIncluded: @escaping @Sendable (Element) throws -> Bool) -> DatabaseSequence {
        DatabaseSequence(source: { [makeSource] in FilteredSource(source: makeSource(), isIncluded: isIncluded) })
    }

    /// The same elements; each iteration calls the closure once, at its end, its error, or when the reader stops, with
    /// the number of elements that were read and the time of reading them.
    func measured(
        _ report: @escaping @Sendable (Int, Duration, (any Error)?) -> Void
    ) -> DatabaseSequence {
        DatabaseSequence(source: { [makeSource] in MeasuredSource(source: makeSource(), report: report) })
    }

    private init(source makeSource: @escaping @Sendable () -> any PageSource<Element>) { self.makeSource = makeSource }

    /// Makes an iterator at the first element.
    public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    /// Iterates over the elements.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: any PageSource<Element>
        private var page: [Element] = []
        private var position = 0

        fileprivate init(source: any PageSource<Element>) { self.source = source }

        /// The next element, nil after the last one.
        ///
        /// - Throws: Errors of reading.
        public mutating func next() async throws -> Element? {
            if position == page.count { try await readPage() }
            return takeElement()
        }

        /// The next element, nil after the last one; the caller's actor is left only for another page.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Throws: Errors of reading.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            if position == page.count {
                // Exclusive access: no other code uses the iterator before the page is read.
                self = try await Self.readPage(of: Handover(self)).take()
            }
            return takeElement()
        }

        private nonisolated static func readPage(of iterator: Handover<Self>) async throws -> Handover<Self> {
            var iterator = iterator.take()
            try await iterator.readPage()
            return Handover(iterator)
        }

        private mutating func readPage() async throws {
            while position == page.count, let next = try await source.nextPage() { (page, position) = (next, 0) }
        }

        private mutating func takeElement() -> Element? {
            guard position < page.count else { return nil }
            defer { position += 1 }
            return page[position]
        }
    }
}

/// A sequence of records.
public typealias RecordSequence = DatabaseSequence<Record>

/// The state of an iteration, whose error type is erased: `any AsyncIteratorProtocol` supports that on newer systems only.
///
/// It returns pages: a call through the protocol for each record would make a list of a file twice as slow.
private protocol PageSource<Element> {
    associatedtype Element
    mutating func nextPage() async throws -> [Element]?
}

private struct IteratorSource<Iterator: AsyncIteratorProtocol>: PageSource {
    var iterator: Iterator

    mutating func nextPage() async throws -> [Iterator.Element]? { try await iterator.next().map { [$0] } }
}

private struct PagedSource<Element, Pages: AsyncIteratorProtocol>: PageSource where Pages.Element == [Element] {
    var pages: Pages

    mutating func nextPage() async throws -> [Element]? { try await pages.next() }
}

private struct FilteredSource<Element>: PageSource {
    var source: any PageSource<Element>
    let isIncluded: @Sendable (Element) throws -> Bool

    mutating func nextPage() async throws -> [Element]? { try await source.nextPage()?.filter(isIncluded) }
}

/// A class, because only an object learns that a reader has stopped before the end.
private final class MeasuredSource<Element>: PageSource {
    private var source: any PageSource<Element>
    private var report: (@Sendable (Int, Duration, (any Error)?) -> Void)?
    private var count = 0
    private var duration = Duration.zero

    init(source: any PageSource<Element>, report: @escaping @Sendable (Int, Duration, (any Error)?) -> Void) {
        (self.source, self.report) = (source, report)
    }

    deinit { end(nil) }

    func nextPage() async throws -> [Element]? {
        let start = ContinuousClock.now
        do {
            let page = try await source.nextPage()
            duration += start.duration(to: .now)
            count += page?.count ?? 0
            if page == nil { end(nil) }
            return page
        } catch {
            duration += start.duration(to: .now)
            end(error)
            throw error
        }
    }

    private func end(_ error: (any Error)?) {
        report?(count, duration, error)
        report = nil
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
