extension Command {
    /// An option: a flag, or a name with a value.
    struct Option: Sendable {
        /// The name after the two dashes.
        var name: String

        /// The letter after one dash.
        var letter: Unicode.Scalar?

        /// The name of the value in help and errors, in capitals; nil for a flag.
        var valueName: String?

        /// The kind of the value.
        var kind = ValueKind.text

        /// Whether it may be given several times.
        var isRepeatable = false

        /// The default value.
        var defaultValue: String?

        /// The description, in one sentence.
        var help: String

        /// An option without a value.
        static func flag(_ name: String, _ letter: Unicode.Scalar? = nil, _ help: String) -> Option {
            Option(name: name, letter: letter, help: help)
        }

        /// An option with a value.
        static func value(
            _ name: String, _ letter: Unicode.Scalar? = nil, as valueName: String, kind: ValueKind = .text,
            isRepeatable: Bool = false, default defaultValue: String? = nil, _ help: String
        ) -> Option {
            Option(
                name: name, letter: letter, valueName: valueName, kind: kind, isRepeatable: isRepeatable,
                defaultValue: defaultValue, help: help)
        }

        /// The help option of every command.
        static let help = flag("help", "h", "Show this help.")

        /// The option of every command whose output may be long.
        static let noPager = flag("no-pager", nil, "Show long output without a pager.")

        /// Whether it takes a value.
        var takesValue: Bool { valueName != nil }

        /// The names with dashes: `-f`, `--format`.
        var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
    }

    /// All options, `--help` among them.
    var allOptions: [Option] {
        options + arguments.flatMap(\.options) + (isPaged ? [.noPager] : []) + [.help]
    }
}
