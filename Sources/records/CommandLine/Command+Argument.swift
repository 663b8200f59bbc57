extension Command {
    /// A positional argument.
    struct Argument: Sendable {
        /// How often an argument may occur.
        enum Occurrence: Sendable {
            case required
            case optional
            /// Once or more often.
            case repeated
            /// Any number of times, also none.
            case any

            /// Whether it may be missing.
            var isOptional: Bool { self == .optional || self == .any }

            /// Whether it may occur several times.
            var isRepeatable: Bool { self == .repeated || self == .any }
        }

        /// The name in help and errors, in capitals.
        var name: String

        /// The description, in one sentence.
        var help: String

        /// How often it may occur.
        var occurrence = Occurrence.required

        /// The kind of its value.
        var kind = ValueKind.text

        /// Whether it names records in any form: the command has the options of such inputs.
        var isInput = false

        init(
            _ name: String, _ help: String, _ occurrence: Occurrence = .required, kind: ValueKind = .text,
            isInput: Bool = false
        ) {
            self.isInput = isInput
            self.name = name
            self.help = help
            self.occurrence = occurrence
            self.kind = kind
        }

        /// The name in a usage line: `FILE`, `[ROOT-ID]`, `ID…`.
        var usage: String {
            switch occurrence {
            case .required: name
            case .optional: "[\(name)]"
            case .repeated: "\(name)…"
            case .any: "[\(name)…]"
            }
        }
    }
}
