import NestedRecords

/// A place with its rows, as the user left it.
struct BrowserVisit {
    let place: BrowserPlace
    var listing = Listing()

    /// The number of records to read.
    var count = BrowserSource.portion

    /// The number of changes of the database that were known when the rows were read.
    private(set) var changeCount = 0
    private(set) var content = BrowserContent(title: "")

    init(_ place: BrowserPlace) { self.place = place }

    /// Shows rows that were read.
    mutating func show(_ content: BrowserContent, changeCount: Int) {
        (self.content, self.changeCount) = (content, changeCount)
        listing.set(header: content.header, rows: content.rows)
    }

    /// The record that is shown, or that the selected row leads to.
    var record: Record.ID? {
        switch (place, listing.selected?.target) {
        case (.record(let id), _), (_, .record(let id)): id
        default: nil
        }
    }

    /// The lines of a window with the title, the rows, and notes at the bottom.
    ///
    /// - Parameter terminal: Whether the title may be bold, and the selected row inverse.
    mutating func lines(_ size: (columns: Int, lines: Int), notes: [String], _ terminal: Terminal) -> [String] {
        let height = max(1, size.lines - 1 - notes.count)
        let count = listing.rows.count
        let position = min(listing.selection + 1, count).grouped
        let mark = "\(position)/\(count.grouped)" + (content.hasMore ? "+" : "")
        let title = content.title.visible(within: size.columns - mark.utf8.count - 1)
        let wayOut = place == .types ? "q quits" : "← goes back"
        let rows =
            listing.rows.isEmpty
            ? ["  No records: \(wayOut)".visible(within: size.columns)]
            : listing.lines((size.columns, height), terminal)
        let filled = rows + Array(repeating: "", count: max(0, height - rows.count))
        return [terminal.bold(title.padded(to: size.columns - mark.utf8.count)) + mark] + filled + notes
    }
}
