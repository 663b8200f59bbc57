public import NestedRecords
public import Observation

/// The live values of a query for views, as rows, with more pages on demand.
///
/// ```swift
/// let cards = LiveQueryModel(store.query(Card.self).sorted { $0.front }, pageSize: 50)
/// ForEach(cards.rows) { row in Text(row.front) }
/// ```
///
/// The rows keep their identity: ``rows`` changes when rows come, go or move, and a row when its value changes. Old rows
/// stay while others are loaded and after an error, also if the query is replaced. The model ends with its owner: it is
/// not held while it waits for changes.
@MainActor @Observable
public final class LiveQueryModel<Value: RecordCodable & Sendable> {
    /// The rows, in the order of the query.
    public private(set) var rows: [RecordModel<Value>] = []

    /// Whether the query has more values than the rows: see ``loadMore()``.
    public private(set) var hasMore = false

    /// What the last change of the list has inserted, deleted, moved and modified; nil before the first list.
    public private(set) var changes: ListDifference?

    /// Why the last insertion or deletion by the model failed; nil after one that has succeeded.
    public private(set) var failure: (any Error)?

    /// Performs each change of what is shown, such as within an animation; nil to perform it directly.
    ///
    /// It must not hold the model.
    @ObservationIgnored public var perform: (@MainActor (_ change: () -> Void) -> Void)?

    /// The number of rows that are loaded at a time, at least one; nil to load all at once.
    ///
    /// A new number begins with one page again.
    public var pageSize: Int? {
        didSet {
            if pageSize == oldValue { return }
            pageCount = 1
            begin()
        }
    }

    private let loop = LiveLoop()
    @ObservationIgnored private var shown: Query<Value>?

    /// Whether the rows may be of another database than the query, in which the same versions are others.
    @ObservationIgnored private var hasOldRows = false
    @ObservationIgnored private var pageCount = 1

    /// The values of the rows, as they came.
    @ObservationIgnored private var list: [Stored<Value>] = []

    /// Makes a model that shows nothing, and loads nothing, before ``show(_:)``.
    ///
    /// - Parameter pageSize: The number of rows that are loaded at a time, at least one; nil to load all at once.
    public init(pageSize: Int? = nil) { self.pageSize = pageSize }

    /// Makes a model of a query, and begins to load its values.
    ///
    /// - Parameters:
    ///   - query: The query. Its limit is the greatest number of rows.
    ///   - pageSize: The number of rows that are loaded at a time, at least one; nil to load all at once.
    public init(_ query: Query<Value>, pageSize: Int? = nil) {
        self.pageSize = pageSize
        show(query)
    }

    /// Shows the values of a query, in place of another, with one page; nothing happens if the query is the same.
    ///
    /// Rows of another store are other objects. A database that is a structure, such as that of a scope, is not recognized:
    /// after a change of the query its rows are other objects too, and with the same query another database is not shown.
    ///
    /// - Parameter query: The query; nil shows ``MissingRecordStore`` as the error.
    public func show(_ query: Query<Value>?) {
        guard let query else {
            shown = nil
            return loop.endWithoutStore()
        }
        let (old, new) = (shown?.store.databaseObject, query.store.databaseObject)
        // A description omits values; the queries are nil if they are not valid.
        if let shown, old == new, "\(shown)" == "\(query)", (try? shown.recordQuery()) == (try? query.recordQuery()) {
            return
        }
        hasOldRows = hasOldRows || !rows.isEmpty && (old == nil || old != new)
        (shown, pageCount) = (query, 1)
        begin()
    }

    /// Whether rows are being loaded.
    public var isLoading: Bool { loop.isLoading }

    /// Why the rows cannot be read, or cannot be read again; nil if they can.
    public var error: (any Error)? { loop.error }

    /// Loads one more page, if there is more and nothing is being loaded; for the appearance of the last row.
    public func loadMore() {
        guard hasMore, !isLoading else { return }
        pageCount += 1
        begin()
    }

    /// Reads the rows again from the beginning, also after an error that has ended the reading.
    public func retry() { begin() }

    /// Reads the rows again, and returns when they, or the error, are shown.
    public func refresh() async {
        if shown == nil { return }
        begin()
        await loop.waitUntilLoaded()
    }

    // MARK: Changing

    /// Inserts a new value; its row comes if the query finds it.
    ///
    /// - Parameter value: The value.
    /// - Returns: Whether it is stored. Otherwise ``failure`` has the error, such as `conflict` if its record exists.
    @discardableResult
    public func insert(_ value: Value) async -> Bool {
        guard let store = shown?.store else { return note(MissingRecordStore()) }
        do {
            try await store.insert(value)
            return note(nil)
        } catch {
            return note(error)
        }
    }

    /// Deletes the records of rows, each in the version that is shown; for `onDelete` of a list.
    ///
    /// The rows are those that are shown when it is called, whatever the list is when they are deleted.
    ///
    /// - Parameters:
    ///   - offsets: The indices of the rows; others are left out.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: A task with whether all are deleted. Otherwise ``failure`` has the first error, and the other rows are
    ///   deleted.
    @discardableResult
    public func delete(at offsets: some Sequence<Int>, _ options: DeletionOptions = []) -> Task<Bool, Never> {
        let chosen = offsets.compactMap { rows.indices.contains($0) ? rows[$0] : nil }
        return Task {
            var first: (any Error)?
            for row in chosen where await !row.delete(options) { first = first ?? row.failure }
            return note(first)
        }
    }

    private func note(_ error: (any Error)?) -> Bool {
        if error != nil || failure != nil { failure = error }
        return error == nil
    }

    // MARK: Reading

    private func begin() {
        guard let shown else { return }
        for row in rows { row.beginFollowing() }
        let size = size(of: shown)
        // One value more shows whether there are more.
        let read = size.map { $0 < .max ? shown.limit($0 + 1) : shown.limit(nil) } ?? shown
        loop.start(read.live()) { [weak self] in self?.receive($0, size ?? .max, in: shown.store) }
    }

    /// The number of rows to load; nil to read the query as it is.
    private func size(of query: Query<Value>) -> Int? {
        guard let pageSize else { return nil }
        let (size, overflows) = max(1, pageSize).multipliedReportingOverflow(by: pageCount)
        // An invalid query is an error of reading.
        guard let read = try? query.recordQuery() else { return nil }
        guard let limit = read.limit else { return overflows ? .max : size }
        return overflows || limit <= size ? nil : size
    }

    private func receive(_ found: [Stored<Value>], _ size: Int, in store: RecordStore) {
        let new = Array(found.prefix(size))
        let known = Dictionary((hasOldRows ? [] : rows).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let difference = ListDifference(from: hasOldRows ? [] : list, to: new)
        (list, hasOldRows) = (new, false)
        let change = { [self] in
            let next = new.map { stored in
                guard let row = known[stored.recordID] else { return RecordModel(stored, in: store) }
                row.receive(stored)
                return row
            }
            if !next.elementsEqual(rows, by: ===) { rows = next }
            if changes == nil || !difference.isEmpty { changes = difference }
            if hasMore != (found.count > size) { hasMore = found.count > size }
        }
        if let perform { perform(change) } else { change() }
    }
}

extension RecordStore {
    /// The database, if it is an object.
    var databaseObject: ObjectIdentifier? {
        // A structure as an object is a new one each time.
        type(of: database) is AnyClass ? ObjectIdentifier(database as AnyObject) : nil
    }
}
