import NestedRecords

/// What the window of `browse` shows.
enum BrowserPlace: Hashable, Sendable {
    case types
    case records(Selection)
    case record(Record.ID)

    /// A text with its title.
    case text(String, title: String)

    /// Some records of a type, or of all types.
    struct Selection: Hashable, Sendable {
        /// nil for all types.
        var type: String?

        /// A text that a shown record contains.
        var search = ""
        var filter = ""

        /// Fields, separated by commas.
        var order = ""

        /// Whether these are not all records of the type in the order of their names.
        var isPart: Bool { !(search.isEmpty && filter.isEmpty && order.isEmpty) }
    }
}

/// The rows of a place.
struct BrowserContent: Sendable {
    var title: String
    var header: [String] = []
    var rows: [Listing.Row] = []

    /// Whether there are more rows.
    var hasMore = false

    /// The fields of the rows' records, for completion.
    var fields: [String] = []
}
