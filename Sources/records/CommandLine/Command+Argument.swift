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

        /// The options that a command has with this argument.
        var options: [Option] = []

        init(
            _ name: String, _ help: String, _ occurrence: Occurrence = .required, kind: ValueKind = .text,
            options: [Option] = []
        ) {
            (self.name, self.help, self.occurrence, self.kind, self.options) = (name, help, occurrence, kind, options)
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
