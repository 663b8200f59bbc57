/// A decoded value, and what it took to get it.
public struct Resolution<Value> {
    /// The value.
    public let value: Value

    /// The references that were left out because their records are missing, in the order in which they were met.
    public let dropped: [DanglingReference]

    /// How often the database was asked.
    public let calls: Int

    /// How many levels of references were fetched, the root's among them.
    public let levels: Int

    /// How many records were there to decode from.
    public let records: Int

    /// How often decoding was tried, until nothing was left to learn about the types.
    public let passes: Int

    func map<Other>(_ value: Other) -> Resolution<Other> {
        Resolution<Other>(
            value: value, dropped: dropped, calls: calls, levels: levels, records: records, passes: passes)
    }
}

extension Resolution: Sendable where Value: Sendable {}
