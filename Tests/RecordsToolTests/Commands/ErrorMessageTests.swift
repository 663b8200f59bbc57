import Foundation
import NestedRecordsFile
import Testing

/// The messages of commands that fail, which the tests of the commands do not compare.
///
/// Mistakes in the options of one command are tested with the command.
@Suite struct ErrorMessageTests {
    /// The package's own sample, and inputs that are wrong in different ways.
    private func folder() throws -> ToolFolder {
        let folder = try SchoolFile.folder()
        func line(_ id: String, _ fields: String = "") -> String { #"{"id":"\#(id)","fields":{\#(fields)}}"# }
        try folder.write([line("A/1")], to: "good.jsonl")
        try folder.write([line("A/1", #""n":1"#), line("A/1", #""n":2"#)], to: "twice.jsonl")
        try folder.write([line("A/1", #""lost":{"$ref":"A/9"}"#)], to: "lost.jsonl")
        try folder.write([line("P/1"), line("Q/1")], to: "two.jsonl")
        try folder.write((1...2_000).map { line("T\($0)/1") }, to: "types.jsonl")
        try folder.write(["hello"], to: "text")
        return folder
    }

    private static let messages = [
        ("query none", "none: cannot be opened: No such file or directory"),
        ("flatten none", "none: cannot be opened: No such file or directory"),
        ("query text", "text: is neither a record file nor JSON; CSV needs the option --delimiter"),
        ("ls . --sizes", ".: cannot read: Is a directory"),
        ("query - < text", "standard input: is neither a record file nor JSON; CSV needs the option --delimiter"),
        (
            "query - < school.records",
            "standard input: line 1, column 1: found a record file, expected lines of typed JSON: a record file is "
                + "read by its path"
        ),
        ("query - <&-", "standard input: cannot read: Bad file descriptor"),
        ("get twice.jsonl A/1", "twice.jsonl: line 2: A/1 occurs twice, with different content"),
        ("graph twice.jsonl", "twice.jsonl: A/1 occurs twice, with different content"),
        ("get school.records Book/9", "school.records: there is no record Book/9"),
        ("get good.jsonl A/2 --tree", "good.jsonl: there is no record A/2"),
        ("get school.records book/1", "school.records: there is no record book/1; did you mean Book/1?"),
        (
            "get school.records Pupil/x",
            "school.records: there is no record Pupil/x; the types are Book, Person, School, Student"
        ),
        (
            "query school.records Pupil",
            "TYPE: there is no type 'Pupil' in school.records; the types are Book, Person, School, Student "
                + "(see 'records query --help')"
        ),
        ("nest lost.jsonl A/1 --strict", "lost.jsonl: A/1, field 'lost': it refers to A/9, which does not exist"),
        ("compact good.jsonl", "good.jsonl: is not a record file; only record files are compacted"),
        ("migrate good.jsonl --type A=B", "good.jsonl: is not a database; 'records copy' makes one of its records"),
        ("log good.jsonl", "good.jsonl: is not a database: only databases have a change history"),
        (
            "graph types.jsonl --format svg",
            "types.jsonl: a picture of 2,000 boxes cannot be read as svg; draw the part below a root, or choose "
                + "another --format"
        ),
        ("copy - \"$(printf 'a\\377')\"", "argument 3 is not text in UTF-8: 'a\u{FFFD}'"),
        (
            "copy school.records - >&-",
            "cannot write to standard output: Bad file descriptor; the output is incomplete"
        ),
    ]

    private static let mistakes = [
        ("compact", "-", "'compact' needs the path of a record file"),
        (
            "nest", "good.jsonl nobody",
            "'nobody' is not an ID such as Person/ada: the form of an ID is its type, a slash and its name"
        ),
        ("copy", "two.jsonl - P x", "unexpected argument 'x'"),
        ("copy", "two.jsonl x.records --salvage", "option '--salvage' needs '-' as TO"),
        ("copy", "two.jsonl - --batch 2", "option '--batch' needs a database as TO"),
        ("copy", "school.records x.records --batch 2", "option '--batch' needs all lines of a file as FROM"),
        ("index", "school.records Book title title", "FIELD 'title' is given twice"),
        ("diff", "- -", "A and B cannot both be standard input"),
        ("graph", "good.jsonl --depth 1", "option '--depth' needs a ROOT-ID to count from"),
        ("flatten", "school.json --map Person", "option '--map' must have the form KEY=TYPE, not 'Person'"),
        ("query", "two.jsonl P -f csv --typed", "option '--typed' needs '--format json' or jsonl"),
        ("query", "two.jsonl P -f csv --ids", "option '--ids' prints lines, or with '--format' json or jsonl"),
        (
            "query", "two.jsonl --fields @id --typed",
            "option '--fields': '@id' is not a field, and typed records begin with their IDs"
        ),
        ("get", "two.jsonl P/1 --depth 2", "option '--depth' needs '--tree'"),
        ("get", "two.jsonl P/1 --refs --tree", "option '--refs' cannot be given together with '--tree'"),
        ("get", "two.jsonl P/1 --refs -f csv", "option '--format' cannot be given together with '--refs'"),
        ("get", "- -", "FILE and ID cannot both be standard input"),
        ("ls", "two.jsonl P --sizes", "option '--sizes' is about all types, without TYPE"),
        (
            "log", "school.records --table --json", "option '--table' cannot be given together with '--json'"
        ),
    ]

    @Test func commandSaysWhatIsWrong() throws {
        let folder = try folder()
        for (command, message) in Self.messages {
            #expect(try folder.run("records \(command)").errors == "records: \(message)\n", "\(command)")
        }
    }

    @Test func mistakeOfUseIsReportedWithAHint() throws {
        let folder = try folder()
        for (command, words, message) in Self.mistakes {
            #expect(
                try folder.run("records \(command) \(words)")
                    == .error("\(message) (see 'records \(command) --help')", status: 2))
        }
    }

    @Test func fileOfAWriterIsInUse() async throws {
        let folder = try SchoolFile.folder()
        let writer = try FileRecordDatabase(path: folder.path("school.records"))
        #expect(
            try folder.run("records copy - school.records")
                == .error("school.records: is open for writing somewhere else; close it there and try again"))
        try await writer.close()
    }

    #if os(Linux)
    @Test func fullDiskIsReported() throws {
        #expect(
            try Shell.run("records completions bash > /dev/full")
                == .error(
                    "cannot write to standard output: No space left on device; the output is incomplete"))
    }
    #endif
}
