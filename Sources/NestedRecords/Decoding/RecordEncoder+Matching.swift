extension RecordEncoder {
    /// Makes an encoder whose records a decoder reads back.
    ///
    /// - Parameter decoder: The decoder; its strategies, information and depth limit are taken over.
    public init(matching decoder: RecordDecoder) {
        self.init()
        keyStrategy = decoder.keyStrategy
        embeddingStrategy = decoder.embeddingStrategy
        userInfo = decoder.userInfo
        maximumDepth = decoder.maximumDepth
    }
}
