/// A number that may not get worse.
struct Figure: Sendable {
    /// The measured quantity.
    enum Kind: String, CaseIterable, Sendable, Codable {
        case instructions = "instructions per record"
        case allocations = "allocations per record"
        case liveBytes = "live bytes per record"
        case growth = "instructions per item of ten times as many items, ratio"
        case speed = "times faster than JSON"
    }

    let kind: Kind

    /// The case and the direction.
    let name: String

    /// The number; nil if it could not be measured.
    let value: Double?

    /// The growth that is always allowed: tables with random hashes sometimes grow once more in a call.
    var tolerance = 0.0
}

extension Figure.Kind {
    /// The precision in the baseline, as parts of one.
    var precision: Double {
        switch self {
        case .instructions: 1
        case .allocations: 1_000
        case .liveBytes: 10
        case .growth, .speed: 100
        }
    }
}

extension Double {
    func rounded(for kind: Figure.Kind) -> Double { (self * kind.precision).rounded() / kind.precision }
}
