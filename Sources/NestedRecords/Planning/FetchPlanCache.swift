/// Keeps the plans of types, so that later loads fetch everything before they decode.
final class FetchPlanCache: Sendable {
    private let plans = Lock<[ObjectIdentifier: FetchPlan]>([:])

    /// The maximum size of a plan to keep: if field names or types of records are data, a plan would grow without end,
    /// and every decoding copies the plan.
    private static let mostRemembered = 1_024

    // A plan depends on the field names of the keys. Only these two strategies are certain to be equal in all calls.
    private static let unchanged = FetchPlanCache()
    private static let snakeCase = FetchPlanCache()

    static func memory(for coding: RecordCoding) -> FetchPlanCache {
        guard coding.fieldNaming.separator == nil, coding.recordTypes == nil else { return FetchPlanCache() }
        return switch coding.keyStrategy {
        case .unchanged: unchanged
        case .snakeCase: snakeCase
        case .custom: FetchPlanCache()
        }
    }

    subscript(type: Any.Type) -> FetchPlan? { plans.withLock { $0[ObjectIdentifier(type)] } }

    func remember(_ learned: FetchPlan, of type: Any.Type) {
        plans.withLock { plans in
            // Other calls may have learned more during this one.
            var plan = plans[ObjectIdentifier(type)] ?? FetchPlan()
            plan.merge(learned)
            if plan.count <= Self.mostRemembered { plans[ObjectIdentifier(type)] = plan }
        }
    }
}
