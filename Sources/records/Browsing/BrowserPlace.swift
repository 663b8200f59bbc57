import NestedRecords

/// What the window of `browse` shows.
enum BrowserPlace: Hashable, Sendable {
    case types
    case records(Selection)
    case record(Record.ID)

    /// A text with its title.
    case text(String, title: String)

    /// The meanings of the keys.
    case keys

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

    /// Whether all records must be read to show the place.
    var isSearch: Bool { if case .records(let selection) = self { !selection.search.isEmpty } else { false } }

    /// Whether lines are folded at the width of the window.
    var isFolded: Bool { if case .text = self { true } else { self == .keys } }
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
