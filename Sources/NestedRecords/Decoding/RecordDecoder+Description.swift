extension RecordDecoder: CustomStringConvertible {
    /// The options in one line.
    public var description: String {
        "RecordDecoder(keyStrategy: \(keyStrategy), embeddingStrategy: \(embeddingStrategy), "
            + "scalarStrategy: \(scalarStrategy), maximumDepth: \(maximumDepth), "
            + "maximumRecords: \(maximumRecords == .max ? "unlimited" : "\(maximumRecords)"), "
            + "danglingReferencePolicy: \(danglingReferencePolicy))"
    }
}

extension RecordDecoder: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
