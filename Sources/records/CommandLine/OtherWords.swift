/// Words for which people look first, and the calls that do the same.
///
/// They are errors that show the call: an alias would be one more name to learn and to keep.
enum OtherWords {
    private static let calls: [(words: [String], call: String)] = [
        (["show", "list", "types"], "ls FILE"),
        (["schema", "describe", "fields"], "ls FILE TYPE"),
        (["stats", "info", "size"], "ls FILE --sizes"),
        (["open", "view"], "browse FILE"),
        (["find", "search", "grep"], "query FILE --search WORDS"),
        (["where", "sql", "filter"], "query FILE TYPE --where FILTER"),
        (["select"], "query FILE TYPE --fields FIELD,FIELD"),
        (["count"], "query FILE TYPE --count"),
        (["sort", "order"], "query FILE TYPE --sort FIELD"),
        (["head"], "query FILE TYPE -n 10"),
        (["dump", "print"], "query FILE"),
        (["refs"], "get FILE ID --refs"),
        (["tree"], "get FILE ID --tree"),
        (["cat", "export"], "copy FILE -"),
        (["import", "load"], "copy - FILE"),
        (["convert"], "copy FROM TO"), (["merge"], "copy OTHER FILE --overwrite"),
        (["new", "add", "insert", "create"], "set FILE --new TYPE/NAME FIELD=VALUE"),
        (["update"], "set FILE ID FIELD=VALUE"),
        (["rm", "remove", "del"], "delete FILE ID"),
        (["mv", "rename"], "migrate FILE --type OLD=NEW"),
        (["history"], "log FILE"),
        (["watch", "follow", "tail"], "log FILE --follow"),
        (["check", "validate"], "verify FILE"),
        (["vacuum"], "compact FILE"),
        (["draw", "plot"], "graph FILE"),
        (["revert", "rollback"], "undo FILE"),
    ]

    /// The call for a word, without the name of the program; nil for an unknown word.
    static func call(for word: String) -> String? { calls.first { $0.words.contains(word) }?.call }
}
