extension Command {
    /// An option: a flag, or a name with a value.
    struct Option: Sendable {
        /// The name behind the two dashes.
        var name: String

        /// The letter behind one dash.
        var letter: Unicode.Scalar?

        /// What the value is called in help and errors, in capitals; nil for a flag.
        var valueName: String?

        /// What the value can be.
        var kind = ValueKind.text

        /// Whether it may be given several times.
        var isRepeatable = false

        /// The value that holds when none is given.
        var defaultValue: String?

        /// What it does, in one sentence.
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

        /// The option that every command has.
        static let help = flag("help", "h", "Show this help.")

        /// Whether it takes a value.
        var takesValue: Bool { valueName != nil }

        /// The names as the user types them: `-f`, `--format`.
        var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
    }

    /// All options, `--help` among them.
    var allOptions: [Option] { options + [.help] }
}
