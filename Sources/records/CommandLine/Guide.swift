/// Help about something that several commands share: `records help filters`.
struct Guide: Sendable {
    /// The name after `help`.
    var name: String

    /// The summary, in one line without a full stop.
    var summary: String

    /// The tables.
    var tables: [Table]

    /// A table of forms, and their meanings.
    struct Table: Sendable {
        /// The title, in a word or two.
        var title: String

        /// The rows; the meaning may be several sentences.
        var rows: [(form: String, meaning: String)]
    }
}
