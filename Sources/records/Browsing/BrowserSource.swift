import NestedRecords

/// The records that `browse` shows.
struct BrowserSource: Sendable {
    /// The number of records that are read at once.
    static let portion = 200

    /// The most records that are listed at once: a filter reaches the others.
    static let mostListed = 100_000

    /// The most records that a search lists.
    static let mostFound = 500

    let input: RecordInput
    let database: any RecordDatabase

    /// Lines are read into memory.
    init(_ input: RecordInput) throws {
        self.input = input
        database = try input.database()
    }

    /// The rows of a place.
    ///
    /// - Parameter count: The number of records to list, if there are as many.
    /// - Throws: `UsageError` for a filter or an order, and errors of reading.
    func content(of place: BrowserPlace, count: Int, within columns: Int) async throws -> BrowserContent {
        switch place {
        case .types: return try await types()
        case .records(let selection): return try await records(selection, count: count)
        case .text(let text, let title):
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            return BrowserContent(
                title: title, rows: Listing.Row.lines(lines.flatMap { String($0).folded(to: columns - 2) }))
        case .keys:
            return BrowserContent(
                title: "Keys", rows: Listing.Row.lines(HelpText.rows(BrowserKeys.rows, within: columns - 2)))
        case .record(let id):
            guard let record = try await database.recordsByID(for: [id])[id] else {
                throw try await input.missing([id], in: database)
            }
            return BrowserContent(record, referrers: try await database.referrers(of: [id])[id] ?? [])
        }
    }

    /// The first IDs that begin with a text, or the types that do if it has no slash.
    func ids(beginningWith text: String) async throws -> [String] {
        guard let id = try? Record.ID(text.utf8.last == UInt8(ascii: "/") ? text + "x" : text) else {
            return try await input.types(of: database).filter { $0.utf8.starts(with: text.utf8) }.map { $0 + "/" }
        }
        let name = text.utf8.last == UInt8(ascii: "/") ? "" : id.name
        let query = RecordQuery(
            id.type, where: .hasPrefix(.recordName, name), order: [RecordOrder(.recordName)], limit: 20)
        return try await database.page(query).records.map { "\($0.id)" }
    }

    private func types() async throws -> BrowserContent {
        let rows = try await input.counts(of: database).map { type, count in
            Listing.Row(
                key: type, cells: [.text(type), .number(count.grouped)],
                target: .records(BrowserPlace.Selection(type: type)))
        }
        return BrowserContent(title: input.name, header: ["type", "records"], rows: rows)
    }

    private func records(_ selection: BrowserPlace.Selection, count: Int) async throws -> BrowserContent {
        let filter = try await filter(of: selection)
        var title = selection.type ?? "All records"
        var (records, hasMore): ([Record], Bool)
        if let type = selection.type, selection.search.isEmpty {
            let order = try QueryOrder(
                selection.order.unicodeScalars.split(separator: ",").map { String($0) }, owner: "the order")
            let page = try await database.page(
                RecordQuery(type, where: filter, order: order.ofOneType, limit: count))
            (records, hasMore) = (page.records, page.next != nil)
        } else {
            (records, hasMore) = (try await found(selection, filter), false)
        }
        if selection.search.isEmpty, filter == nil, let type = selection.type {
            title += ": " + (try await input.counts(of: database).first { $0.type == type }?.count ?? 0).countedRecords
        } else {
            title += ": \(records.count.grouped)\(hasMore || records.count == Self.mostFound ? " or more" : "")"
        }
        if !selection.filter.isEmpty { title += " where \(selection.filter)" }
        if !selection.search.isEmpty { title += " with '\(selection.search)'" }
        if !selection.order.isEmpty { title += " by \(selection.order)" }
        return BrowserContent(title: title, records, ofType: selection.type, hasMore: hasMore)
    }

    /// Reads the records, and keeps the first ones that contain the text of a search.
    private func found(_ selection: BrowserPlace.Selection, _ filter: RecordFilter?) async throws -> [Record] {
        let search = TextSearch(selection.search, ignoring: .case)
        var matcher = try await database.matcher(for: filter)
        var found: [Record] = []
        for try await record in database.records(ofType: selection.type) {
            try Task.checkCancellation()
            guard record.contains(search), matcher.holds(for: record) else { continue }
            found.append(record)
            if found.count == Self.mostFound { break }
        }
        return found
    }

    /// The filter of a selection; nil for all records.
    ///
    /// - Throws: `UsageError`, also for a field that no record has.
    private func filter(of selection: BrowserPlace.Selection) async throws -> RecordFilter? {
        guard let type = selection.type, !selection.filter.isEmpty else { return nil }
        let text = FilterText(selection.filter, owner: "the filter")
        var options = try FilterOptions(types: [FieldCatalog.Name([type], in: text)], [text])
        options.catalog = try await .checked(options.names, in: database, named: input.name)
        try await options.findRecords(of: [type], in: database)
        return try options.filter(ofType: type)
    }
}

extension BrowserContent {
    /// Records in columns; of several types with their IDs alone and all fields in one column.
    fileprivate init(title: String, _ records: [Record], ofType type: String?, hasMore: Bool) {
        (self.title, self.hasMore) = (title, hasMore)
        fields = records.flatMap { $0.fields.map(\.name) }.uniqued()
        let columns = FieldColumns(type == nil ? [] : records.columnNames)
        header = type == nil ? ["@id", "fields"] : ["@name"] + columns.names
        rows = records.map { record in
            var cells = [Table.Cell](repeating: .empty, count: header.count)
            cells[0] = .text(type == nil ? "\(record.id)" : record.id.name)
            if type == nil { cells[1] = .text(record.fields.description.visible(within: 500)) }
            for (column, value) in columns.values(of: record) { cells[column + 1] = value.shortCell }
            return Listing.Row(key: "\(record.id)", cells: cells, target: .record(record.id))
        }
    }
}

extension Record.Value {
    /// The value as a cell of a list; long strings are cut.
    fileprivate var shortCell: Table.Cell {
        kind.isNumber ? .number(plainText) : .text(shownText.visible(within: 200))
    }
}
