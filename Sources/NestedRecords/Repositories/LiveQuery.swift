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
                records.note(page.records)
                let result = await Self.read(page.records, records, source.decoder)
                if !isCertain || records.hasFetched {
                    let update = try await records.update(types: types)
                    isCertain = true
                    if update.hasChangedTypes {
                        // Others of the type may have changed: what counts is whether the query finds the same.
                        guard let kept = try keptPage(page, update, records) else {
                            page = try await find()
                            isCertain = false
                            continue
                        }
                        page = kept
                    }
                    if update.hasChangedRecords { continue }
                }
                let values = try result.get()
                let ids = page.records.map(\.id)
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

        /// What the query finds.
        private struct Page {
            var records: [Record]

            /// Whether there may be more records behind the limit.
            var hasMore: Bool

            init(_ page: RecordPage) { (records, hasMore) = (page.records, page.next != nil) }
        }

        /// A page with its records as they are kept, if the query finds the same at their moment.
        ///
        /// The database is not asked, since it is at a later moment: between the two, others may have come and gone.
        /// What the query finds is made of the page and of all that has changed since it was found.
        ///
        /// - Parameters:
        ///   - page: The page, found since the moment before the update or at it.
        ///   - update: What has changed up to the moment of the records.
        ///   - records: The records.
        /// - Returns: The page; nil if the query may find others.
        private func keptPage(
            _ page: Page, _ update: FollowedRecords<Database>.Update, _ records: FollowedRecords<Database>
        ) throws -> Page? {
            let ids = page.records.map(\.id)
            // What a filter says of references depends on other records too.
            guard types.count == 1, let changed = update.savedRecords, let kept = records.kept(ids) else { return nil }
            let query = try source.query.recordQuery(coding: source.decoder.coding)
            let known = Set(ids)
            var found = try Self.find(query, in: kept + changed.values.filter { !known.contains($0.id) })
            guard found.records.map(\.id) == ids else { return nil }
            guard page.hasMore, let last = page.records.last else { return found }
            // Nothing is known of those behind the page: a record that has moved there may have left it.
            var rest = query
            rest.after = QueryCursor(of: query, after: last)
            guard try Self.find(rest, in: kept).records.isEmpty else { return nil }
            found.hasMore = true
            return found
        }

        private static func find(_ query: RecordQuery, in records: [Record]) throws -> Page {
            var scan = try QueryScan(query, targets: [:])
            for record in records { scan.add(record) }
            return Page(scan.page())
        }

        private func find() async throws -> Page {
            Page(try await source.database.recordPage(source.query, decoder: source.decoder))
        }

        private mutating func followed() async throws -> FollowedRecords<Database> {
            if let records { return records }
            types = try source.query.recordQuery(coding: source.decoder.coding).recordTypes
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

extension LiveQuery: ChildlessReflectable {}

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
