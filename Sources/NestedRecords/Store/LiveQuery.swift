extension Query {
    /// The values of the query, now and after each change.
    ///
    /// ```swift
    /// for try await books in store.query(Book.self).sorted({ $0.title }).limit(20).live() {
    ///     switch books.result {
    ///     case .success(let books): show(books)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// Like ``RecordStore/live(_:named:since:)``, for a page of values. A new page comes when a record of one of its values
    /// has changed, and when the query finds other values or another order. The query runs again when a record of its
    /// types has changed. A page with a record that cannot be read is an error in ``Snapshot/result``, unless the store
    /// is ``RecordStore/skippingMalformedRecords(_:)``; the sequence goes on. So it does if a record that was not migrated
    /// keeps the query from being sorted.
    ///
    /// - Parameter token: The ``Snapshot/token`` of the last snapshot that the caller knows: the sequence begins with the
    ///   first page after a later change of a record of its types. Nil to begin with the current page.
    /// - Returns: A sequence of pages, each of one moment. Reading throws the errors of ``recordQuery()`` and
    ///   ``RecordDatabase/page(_:)``, `RecordDatabaseError.Code.changeTokenExpired`, ``RecordDatabaseError`` with the
    ///   code `noFeed` if the database has no feed of changes, and `CancellationError`.
    public func live(since token: ChangeToken? = nil) -> DatabaseSequence<Snapshot<[Stored<Value>]>> {
        DatabaseSequence { LiveQuery(self, since: token) }
    }
}

private struct LiveQuery<Value: RecordDecodable>: AsyncIteratorProtocol {
    private let query: Query<Value>
    private var records: FollowedRecords?
    private var types: Set<String> = []
    private var lastPage: [Record.ID]?

    /// The values of the last element that was not an error.
    private var shown: [Stored<Value>]?
    private var wasError = false

    /// The moment that the caller knows; nil after the first element.
    private var token: ChangeToken?

    init(_ query: Query<Value>, since token: ChangeToken?) { (self.query, self.token) = (query, token) }

    mutating func next() async throws -> Snapshot<[Stored<Value>]>? {
        let records = try await followed()
        var pause = IdlePause()
        if lastPage != nil { try await records.waitForChange(types: types, pause: &pause) }
        var page = try await find()
        // Whether the page and the records are of the same moment.
        var isCertain = false
        while true {
            try Task.checkCancellation()
            records.beginReading()
            records.note(page.records)
            let result = try await Self.read(page, records, query)
            if !isCertain || records.hasFetched {
                let update = try await records.update(types: types)
                isCertain = true
                if update.hasChangedTypes {
                    // Other records of the type may have changed. Only another result counts.
                    guard let kept = try keptPage(page, update, records) else {
                        page = try await find()
                        isCertain = false
                        continue
                    }
                    page = kept
                }
                if update.hasChangedRecords { continue }
            }
            let ids = page.records.map(\.id)
            let isError = (try? result.get()) == nil
            if records.endReading() || ids != lastPage || isError != wasError {
                (lastPage, wasError) = (ids, isError)
                records.noteShown()
                let known = token.take()
                guard let known, try await !records.haveChanged(since: known, types: types) else {
                    defer { if case .success(let values) = result { shown = values } }
                    return Snapshot(result, after: shown, at: records.token)
                }
            }
            // The result is the same, or the caller knows it: other records of its types have changed, or none.
            try await pause.wait()
            try await records.waitForChange(types: types, pause: &pause)
            page = try await find()
            isCertain = false
        }
    }

    private struct Page {
        var records: [Record]
        var hasMore: Bool

        /// Why the records cannot be found.
        var failure: (any Error)?

        init(_ page: RecordPage) { (records, hasMore) = (page.records, page.next != nil) }

        init(failure: any Error) { (records, hasMore, self.failure) = ([], false, failure) }
    }

    /// The page with its cached records, if the query finds the same records at their moment.
    ///
    /// The database is not queried, since it is at a later moment: between the two, records may have come and gone.
    /// The result is computed from the page and the changes since the page was found.
    ///
    /// - Parameters:
    ///   - page: The page, found at the moment before the update or later.
    ///   - update: The changes up to the moment of the records.
    ///   - records: The records.
    /// - Returns: The page; nil if the query may find other records.
    private func keptPage(
        _ page: Page, _ update: FollowedRecords.Update, _ records: FollowedRecords
    ) throws -> Page? {
        let ids = page.records.map(\.id)
        // The result of a filter on references depends on other records too.
        guard page.failure == nil, types.count == 1, let changed = update.savedRecords, let kept = records.kept(ids)
        else { return nil }
        let query = try query.recordQuery()
        let known = Set(ids)
        var found = try Self.find(query, in: kept + changed.values.filter { !known.contains($0.id) })
        guard found.records.map(\.id) == ids else { return nil }
        guard page.hasMore, let last = page.records.last else { return found }
        // If a record has fewer bytes now, the page may have room for another.
        if query.byteLimit != nil { return nil }
        // The records after the page are unknown: a record of the page that has moved there may have left it.
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
        do {
            return Page(try await query.store.calls.page(query.checkedRecordQuery()))
        } catch let error as RecordError where error.code == .unknownField {
            // The query itself was checked before: a record of an earlier form cannot be sorted.
            return Page(failure: error)
        } catch let error as RecordDatabaseError where error.kind == .damaged {
            return Page(failure: error)
        }
    }

    private mutating func followed() async throws -> FollowedRecords {
        if let records { return records }
        types = try query.recordQuery().recordTypes
        let new = try await FollowedRecords(of: query.store)
        records = new
        return new
    }

    private static func read(
        _ page: Page, _ records: FollowedRecords, _ query: Query<Value>
    ) async throws -> Result<[Stored<Value>], any Error> {
        if let failure = page.failure { return .failure(failure) }
        do {
            return .success(try await query.store.over(records).decode(query.type, from: page.records))
        } catch {
            try records.checkIsOfRecords(error)
            return .failure(error)
        }
    }
}

extension RecordQuery {
    fileprivate var recordTypes: Set<String> { (filter?.referredTypes ?? []).union([recordType]) }
}
