extension Command {
    /// An argument that is known by its place on the command line.
    struct Argument: Sendable {
        /// How often an argument may occur.
        enum Occurrence: Sendable {
            case required
            case optional
            /// Once or more often.
            case repeated
        }

        /// The name in help and errors, in capitals.
        var name: String

        /// What it is, in one sentence.
        var help: String

        /// How often it may occur.
        var occurrence = Occurrence.required

        /// What it can be.
        var kind = ValueKind.text

        init(_ name: String, _ help: String, _ occurrence: Occurrence = .required, kind: ValueKind = .text) {
            self.name = name
            self.help = help
            self.occurrence = occurrence
            self.kind = kind
        }

        /// The name as a usage line has it: `FILE`, `[ROOT-ID]`, `ID…`.
        var usage: String {
            switch occurrence {
            case .required: name
            case .optional: "[\(name)]"
            case .repeated: "\(name)…"
            }
        }
    }
}
