/// Keeps the plans of types, so that later loads fetch everything before they decode.
final class FetchPlanCache: Sendable {
    private let plans = Lock<[ObjectIdentifier: FetchPlan]>([:])

    /// How much is remembered of a type: one whose names of fields or types of records are data has ever new ones, and
    /// every decoding copies what is known.
    private static let mostRemembered = 1_024

    // What a type reads depends on the names that its keys become. Two strategies are known to be the same always.
    private static let unchanged = FetchPlanCache()
    private static let snakeCase = FetchPlanCache()

    static func memory(for coding: RecordCoding) -> FetchPlanCache {
        guard coding.embeddingStrategy == .map, coding.recordTypes.isEmpty else { return FetchPlanCache() }
        return switch coding.keyStrategy.kind {
        case .unchanged: unchanged
        case .snakeCase: snakeCase
        case .custom: FetchPlanCache()
        }
    }

    /// The plan for a type, nil if none is known.
    subscript(type: Any.Type) -> FetchPlan? { plans.withLock { $0[ObjectIdentifier(type)] } }

    /// Adds what was learned to the plan for a type.
    func remember(_ learned: FetchPlan, of type: Any.Type) {
        plans.withLock { plans in
            // Other calls may have learned more since this one began.
            var plan = plans[ObjectIdentifier(type)] ?? FetchPlan()
            plan.merge(learned)
            if plan.count <= Self.mostRemembered { plans[ObjectIdentifier(type)] = plan }
        }
    }
}
