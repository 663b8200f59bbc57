#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A position in the results of a query, after the last record of a page.
///
/// It is opaque text that can be stored and sent. It contains the values that the query orders by and the name of the
/// record, so that saves and deletions do not shift it. Do not show it to users who must not see these values.
public struct QueryCursor: Sendable, Hashable {
    let keys: [SortKey]
    let name: String
    let query: UInt64

    /// Makes a cursor, for implementations of databases.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - record: The last record of the page.
    public init(of query: RecordQuery, after record: Record) {
        keys = query.order.map { SortKey($0.path.value(in: record)) }
        name = record.id.name
        self.query = query.digest
    }

    /// Makes a cursor for a query without an order.
    init(of query: RecordQuery, afterName name: String) { self.init(keys: [], name: name, query: query.digest) }

    private init(keys: [SortKey], name: String, query: UInt64) {
        (self.keys, self.name, self.query) = (keys, name, query)
    }

    /// The same position in the results of another cursor's query, which has the same order.
    func asCursor(of other: QueryCursor) -> QueryCursor { QueryCursor(keys: keys, name: name, query: other.query) }
}

extension RecordQuery {
    /// The place after which the page begins; nil for the first page.
    ///
    /// Every implementation of a query must call it.
    ///
    /// - Throws: ``RecordError`` with the code `invalidLimit`, `invalidCollation` or `foreignCursor`.
    package func checkedStart() throws -> (keys: [SortKey], name: String)? {
        if let limit, limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        if let byteLimit, byteLimit < 0 { throw RecordError(.invalidLimit, reason: "it is \(byteLimit) bytes") }
        for order in order { try order.collation.map { try Collation.check($0) } }
        guard let after else { return nil }
        guard after.query == digest, after.keys.count == order.count else { throw RecordError(.foreignCursor) }
        return (after.keys, after.name)
    }

    fileprivate var digest: UInt64 {
        var writer = SortKeyWriter()
        writer.append(.string(recordType))
        writer.appendEnd()
        for order in order {
            writer.append("order", order.path, [.bool(order.isDescending), .string(order.collation ?? "")])
        }
        // Paths and values are written one by one: the description of a filter omits values.
        for term in filter?.terms ?? [] { term.write(to: &writer) }
        return XXH64.hash(writer.bytes)
    }
}

extension RecordFilter.Term {
    fileprivate func write(to writer: inout SortKeyWriter) {
        func write(_ name: String, _ path: FieldPath?, _ values: Record.Value...) {
            writer.append(name, path, values)
        }
        switch self {
        case .compare(let path, let comparison, let value): write(comparison.rawValue, path, value)
        case .isAny(let path, let values): write("in", path, .list(values))
        case .exists(let path): write("exists", path)
        case .isNull(let path): write("null", path)
        case .hasPrefix(let path, let text, let ignored):
            write("prefix", path, .string(text), .int(Int64(ignored.rawValue)))
        case .containsText(let path, let text, let ignored):
            write("text", path, .string(text), .int(Int64(ignored.rawValue)))
        case .contains(let path, let value): write("contains", path, value)
        case .within(let path, let southWest, let northEast):
            write("within", path, .location(southWest), .location(northEast))
        case .near(let path, let location, let metres): write("near", path, .location(location), .double(metres))
        case .refers(let path, let type): write("refers", path, .string(type))
        case .hasElement(let path): write("element", path)
        case .all(let count): write("all", nil, .int(Int64(count)))
        case .any(let count): write("any", nil, .int(Int64(count)))
        case .not: write("not", nil)
        }
    }
}

extension SortKeyWriter {
    fileprivate mutating func append(_ name: String, _ path: FieldPath?, _ values: [Record.Value]) {
        let names = (path?.names ?? []).map { Record.Value.string($0) }
        for value in [.string(name), .list(names), .string(path?.attribute?.rawValue ?? "")] + values {
            append(value)
            appendEnd()
        }
    }
}

// MARK: Text

extension QueryCursor: TextCodable {
    /// The cursor as text of letters, digits, `-` and `_`.
    public var description: String { SealedText.text(of: [query.bytes] + keys.map(\.bytes) + [Array(name.utf8)]) }

    /// Makes a cursor from text that was stored or sent.
    ///
    /// - Parameter text: The ``description`` of a cursor.
    /// - Throws: ``RecordError`` with the code `invalidCursor` if the text is not a cursor.
    public init(text: String) throws {
        guard let cursor = QueryCursor(text) else { throw RecordError(.invalidCursor) }
        self = cursor
    }

    /// Makes a cursor from text; nil if the text is not a cursor.
    ///
    /// A query takes nil for the first page: use ``init(text:)``, which throws instead.
    public init?(_ description: String) {
        guard var parts = SealedText.parts(of: description), let last = parts.popLast(), !parts.isEmpty,
            let query = UInt64(bytes: parts.removeFirst()[...]), let name = String(validUTF8: last)
        else { return nil }
        let keys = parts.compactMap { SortKey(bytes: $0) }
        guard keys.count == parts.count else { return nil }
        self.keys = keys
        self.name = name
        self.query = query
    }
}
