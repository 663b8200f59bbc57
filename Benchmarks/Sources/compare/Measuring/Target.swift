/// How much of another contender's time one may take.
struct Target: Sendable, Encodable {
    let name: String
    let other: String

    /// The greatest ratio that meets the target; nil to show the ratio alone.
    let limit: Double?

    init(_ name: String, to other: String, atMost limit: Double? = nil) {
        self.name = name
        self.other = other
        self.limit = limit
    }

    var title: String { "\(name)/\(other)" }
}
