/// A ratio of two contenders' times, and its limit.
struct Target: Sendable {
    let name: String
    let other: String

    /// The limit; nil to show only the ratio.
    let limit: Limit?

    /// The maximum ratio of a contender's time to that of another contender.
    init(_ name: String, to other: String, atMost limit: Double? = nil) {
        (self.name, self.other, self.limit) = (name, other, limit.map(Limit.atMost))
    }

    /// The minimum speed-up of a contender over another contender.
    init(_ name: String, fasterThan other: String, atLeast limit: Double? = nil) {
        (self.name, self.other, self.limit) = (other, name, limit.map(Limit.atLeast))
    }

    var title: String { "\(name)/\(other)" }
}
