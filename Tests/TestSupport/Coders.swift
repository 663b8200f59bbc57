package import NestedRecords

/// An encoder and a decoder of one strategy.
package func coders(
    _ embedding: EmbeddingStrategy = .map, keys: KeyStrategy = .unchanged
) -> (RecordEncoder, RecordDecoder) {
    var (encoder, decoder) = (RecordEncoder(), RecordDecoder())
    (encoder.embeddingStrategy, decoder.embeddingStrategy) = (embedding, embedding)
    (encoder.keyStrategy, decoder.keyStrategy) = (keys, keys)
    return (encoder, decoder)
}
