package import NestedRecords

/// An encoder and a decoder of one strategy.
package func coders(
    _ embedding: EmbeddingStrategy = .map, keys: KeyStrategy = .unchanged
) -> (RecordEncoder, RecordDecoder) {
    var (encoder, decoder) = (RecordEncoder(), RecordDecoder())
    (encoder.coding.embeddingStrategy, decoder.coding.embeddingStrategy) = (embedding, embedding)
    (encoder.coding.keyStrategy, decoder.coding.keyStrategy) = (keys, keys)
    return (encoder, decoder)
}
