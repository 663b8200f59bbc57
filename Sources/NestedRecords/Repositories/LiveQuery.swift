/// The values that a query finds, and again whenever they have changed.
///
/// ```swift
/// for try await books in database.liveValues(Query<Book>().sorted(by: \.title).limit(20)) { show(books) }
/// ```
///
/// As ``LiveValue``, for a page of values: they come again when a record that one of them was read from has changed, and
/// when the query finds others or in another order. The query is asked again when a record of its types has changed.
public struct LiveQuery<Value: RecordDecodable, Database: ObservableRecordDatabase>: AsyncSequence, Sendable {
    /// The values that the query finds at one moment.
    public typealias Element = [Value]

    let query: Query<Value>
    let database: Database
    let decoder: RecordDecoder

    /// Begins with the present values.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// Goes from page to page.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: LiveQuery
        private var records: FollowedRecords<Database>?
        private var types: Set<String> = []
        private var lastPage: [Record.ID]?

        init(source: LiveQuery) { self.source = source }

        /// The values as they are after the next change.
        ///
        /// - Throws: The errors of ``RecordDatabase/load(_:decoder:)``, ``RecordDatabaseError/changeTokenExpired(_:)``,
        ///   and `CancellationError`.
        public mutating func next() async throws -> [Value]? {
            let records = try await followed()
            var pause = IdlePause()
            if lastPage != nil { try await records.waitForChange(types: types, pause: &pause) }
            var page = try await find()
            // Whether the page is of the moment of the records.
            var isCertain = false
            while true {
                try Task.checkCancellation()
                records.beginReading()
                records.note(page)
                let result = await Self.read(page, records, source.decoder)
                if !isCertain || records.hasFetched {
                    let hasChanged = try await records.update(types: types)
                    isCertain = true
                    if hasChanged.types {
                        // Others of the type may have changed: what counts is whether the query finds the same.
                        let again = try await find()
                        guard let kept = try keptPage(of: again, page, records) else {
                            page = again
                            isCertain = false
                            continue
                        }
                        page = kept
                    }
                    if hasChanged.records { continue }
                }
                let values = try result.get()
                let ids = page.map(\.id)
                if records.endReading() || ids != lastPage {
                    lastPage = ids
                    records.noteShown()
                    return values
                }
                // The query finds the same: others of its types have changed.
                try await pause.wait()
                try await records.waitForChange(types: types, pause: &pause)
                page = try await find()
                isCertain = false
            }
        }

        /// The records of a page as they are kept, if the query finds the same before and behind their moment.
        ///
        /// They may change faster than it can be asked: then it must find them as they are kept, or else they must not have
        /// changed.
        ///
        /// - Returns: The records; nil if the query may find others.
        private func keptPage(
            of again: [Record], _ page: [Record], _ records: FollowedRecords<Database>
        ) throws -> [Record]? {
            let ids = page.map(\.id)
            guard again.map(\.id) == ids, let kept = records.kept(ids) else { return nil }
            if again.map(\.metadata) == kept.map(\.metadata) { return kept }
            // What a filter says of references depends on other records too.
            guard types.count == 1 else { return nil }
            var scan = try QueryScan(try source.query.recordQuery(decoder: source.decoder), targets: [:])
            for record in kept { scan.add(record) }
            return scan.page().records.map(\.id) == ids ? kept : nil
        }

        private func find() async throws -> [Record] {
            try await source.database.recordPage(source.query, decoder: source.decoder).records
        }

        private mutating func followed() async throws -> FollowedRecords<Database> {
            if let records { return records }
            types = try source.query.recordQuery(decoder: source.decoder).recordTypes
            let new = try await FollowedRecords(of: source.database)
            records = new
            return new
        }

        private static func read(
            _ page: [Record], _ records: FollowedRecords<Database>, _ decoder: RecordDecoder
        ) async -> Result<[Value], any Error> {
            do {
                return .success(try await decoder.decode(Value.self, from: page, in: records))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension LiveQuery: CustomStringConvertible {
    /// The type of the values.
    public var description: String { "\(Value.self) values (read when iterated)" }
}

extension LiveQuery: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ObservableRecordDatabase {
    /// The values that a query finds, and again whenever they have changed.
    ///
    /// - Parameters:
    ///   - query: Which values, in which order, and how many.
    ///   - decoder: How to decode them.
    /// - Returns: The values of one moment after the other.
    public func liveValues<Value: RecordDecodable>(
        _ query: Query<Value>, decoder: RecordDecoder = RecordDecoder()
    ) -> LiveQuery<Value, Self> {
        LiveQuery(query: query, database: self, decoder: decoder)
    }
}

extension RecordQuery {
    /// The types of the records that decide what the query finds.
    fileprivate var recordTypes: Set<String> {
        var types: Set<String> = [recordType]
        for case .refers(_, let type) in filter?.terms ?? [] { types.insert(type) }
        return types
    }
}
