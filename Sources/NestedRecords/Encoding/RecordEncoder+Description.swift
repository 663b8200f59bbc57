extension RecordEncoder: CustomStringConvertible {
    /// The options in one line.
    public var description: String {
        "RecordEncoder(keyStrategy: \(keyStrategy), embeddingStrategy: \(embeddingStrategy), "
            + "maximumDepth: \(maximumDepth))"
    }
}

extension RecordEncoder: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
