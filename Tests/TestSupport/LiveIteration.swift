package import NestedRecords

extension DatabaseSequence.Iterator {
    /// The value of the next snapshot; throws its error, and the iterator goes on.
    package mutating func nextValue<Value>() async throws -> Value? where Element == Snapshot<Value> {
        try await next()?.value
    }
}
