/// The limit that a number must respect to meet a target.
enum Limit: Sendable {
    case atMost(Double)
    case atLeast(Double)

    func isMet(by value: Double) -> Bool {
        switch self {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        }
    }
}

extension Limit: CustomStringConvertible {
    var description: String {
        switch self {
        case .atMost(let limit): "≤ \(limit.threeDigits)"
        case .atLeast(let limit): "≥ \(limit.threeDigits)"
        }
    }
}

extension Limit: Encodable {
    private enum CodingKeys: CodingKey { case atMost, atLeast }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .atMost(let limit): try container.encode(limit, forKey: .atMost)
        case .atLeast(let limit): try container.encode(limit, forKey: .atLeast)
        }
    }
}
