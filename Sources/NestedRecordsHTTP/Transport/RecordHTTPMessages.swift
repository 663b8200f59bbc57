public import NestedRecords

/// A request of HTTP, independent of a framework.
public struct RecordHTTPRequest: Sendable {
    /// The method, such as `POST`.
    public var method: String

    /// The path, without a query, such as `/records/v1/fetch`.
    public var path: String

    /// The query without the question mark, whose values are percent-encoded; empty, the default, without one.
    public var query = ""

    /// The fields of the header.
    public var headers: RecordHTTPHeaders

    /// The body.
    public var body: RecordHTTPBody

    /// Makes a request.
    public init(
        method: String, path: String, headers: RecordHTTPHeaders = [:], body: RecordHTTPBody = RecordHTTPBody([])
    ) {
        (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
    }
}

/// A response of HTTP, independent of a framework.
public struct RecordHTTPResponse: Sendable {
    /// The status, such as 200.
    public var status: Int

    /// The fields of the header.
    public var headers: RecordHTTPHeaders

    /// The body.
    public var body: RecordHTTPBody

    /// Makes a response.
    public init(status: Int, headers: RecordHTTPHeaders = [:], body: RecordHTTPBody = RecordHTTPBody([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// The fields of a header, each with one value; upper and lower case of a name are equal.
public struct RecordHTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The values by the names in lower case.
    public private(set) var values: [String: String] = [:]

    /// Makes a header.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// Makes a header of the fields of a framework.
    ///
    /// - Parameter fields: Names and values; of several fields with one name the last one counts.
    public init(_ fields: some Sequence<(String, String)>) {
        for (name, value) in fields { self[name] = value }
    }

    /// The value of a field; nil without the field.
    public subscript(name: String) -> String? {
        get { values[name.lowercased()] }
        set { values[name.lowercased()] = newValue }
    }
}

/// A body of HTTP: its bytes in pieces, which are made while they are read.
public struct RecordHTTPBody: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = [UInt8]

    private let pieces: DatabaseSequence<[UInt8]>

    /// Makes a body of bytes.
    public init(_ bytes: [UInt8]) { pieces = DatabaseSequence(bytes.isEmpty ? [] : [bytes]) }

    /// Makes a body of pieces that are read one after the other.
    ///
    /// - Parameter makeIterator: Begins to read.
    public init<Source: AsyncIteratorProtocol & _SendableMetatypeIfAvailable>(
        _ makeIterator: @escaping @Sendable () -> Source
    ) where Source.Element == [UInt8] {
        pieces = DatabaseSequence(makeIterator)
    }

    /// Makes a body of a framework's pieces.
    ///
    /// - Parameter pieces: The pieces, such as `Data` or views of buffers, which are read one after the other.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element: Collection<UInt8> {
        self.init { pieces.map { Array($0) }.makeAsyncIterator() }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> DatabaseSequence<[UInt8]>.Iterator { pieces.makeAsyncIterator() }

    /// Reads the whole body.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The bytes; nil if there are more.
    /// - Throws: Errors of reading.
    public func bytes(atMost limit: Int = .max) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        for try await piece in self {
            guard piece.count <= limit - bytes.count else { return nil }
            bytes += piece
        }
        return bytes
    }
}
