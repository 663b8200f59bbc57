/// A ratio of two contenders' times, and what it should be.
struct Target: Sendable {
    let name: String
    let other: String

    /// What meets the target; nil to show the ratio alone.
    let limit: Limit?

    /// How much of another contender's time one may take.
    init(_ name: String, to other: String, atMost limit: Double? = nil) {
        (self.name, self.other, self.limit) = (name, other, limit.map(Limit.atMost))
    }

    /// How many times faster than another contender one must be.
    init(_ name: String, fasterThan other: String, atLeast limit: Double? = nil) {
        (self.name, self.other, self.limit) = (other, name, limit.map(Limit.atLeast))
    }

    var title: String { "\(name)/\(other)" }
}
