extension RecordFilter {
    /// Differences between strings that a condition ignores.
    ///
    /// What they mean depends on neither a language nor a place.
    public struct TextDifferences: OptionSet, Sendable, Hashable {
        /// One bit for each difference.
        public let rawValue: UInt8

        /// Makes differences from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The case of letters, by Unicode's full case folding: `ß`, `ss` and `SS` are equal, and so are `σ`, `ς` and `Σ`;
        /// `i` and the Turkish `ı` are not.
        public static let `case` = Self(rawValue: 1 << 0)

        /// Accents and other nonspacing marks, as they are after canonical decomposition: `é`, in both of its forms, and `e`
        /// are equal; `ø` and `o` are not.
        public static let accents = Self(rawValue: 1 << 1)
    }
}

extension RecordFilter.TextDifferences {
    /// The names in a message, in the order of the bits.
    package static let names: [(name: String, difference: Self)] = [("case", .case), ("accents", .accents)]

    /// Words after a condition.
    var words: String {
        let names = Self.names.filter { contains($0.difference) }.map(\.name)
        return names.isEmpty ? "" : " ignoring \(names.joined(separator: " and "))"
    }
}
