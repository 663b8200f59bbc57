/// The keys of `browse`, for the user.
enum BrowserKeys {
    private static let hints = [
        "? help", "q quit", "Enter open", "← back", "/ search", "f filter", "s sort", "e edit", "d delete",
        "o open an ID",
    ]

    /// The line at the bottom of a window: the most important keys that have room.
    static func line(within columns: Int) -> String {
        hints.reduce("") { line, hint in
            let longer = line.isEmpty ? hint : line + "  " + hint
            return longer.displayWidth <= columns ? longer : line
        }
    }

    static let rows = [
        ("Enter, →, l", "open the row: the records of a type, a record, the target of a reference, a long text"),
        ("←, Backspace, h", "back"), ("↑ ↓, k j", "a row up, down; also Page Up and Down, Home, End, g, G"),
        ("< >", "columns to the left, to the right"),
        ("/", "search records that contain a text; in a record or a text the next row with it"),
        ("n", "the next row with the text"),
        ("f", "filter the records of a type, such as born < 2010-01-01 and name ~ \"an\"; Tab completes"),
        ("s", "sort by fields: title, -pages; Tab completes"), ("o", "open a record by its ID; Tab completes"),
        ("e", "edit the record in the editor of VISUAL or EDITOR"), ("d", "delete the record, after its plan"),
        ("r", "read again; changes of a database are shown by themselves"),
        ("Ctrl-L, Ctrl-Z", "draw again, stop for the shell"), ("q, Ctrl-C", "quit"),
    ]
}
