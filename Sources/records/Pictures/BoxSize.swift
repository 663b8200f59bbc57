/// The size of a box, and the space around it.
struct BoxSize: Equatable, Sendable {
    static let gap = 18.0
    static let rowGap = 76.0

    var width: Double
    var height: Double
}
