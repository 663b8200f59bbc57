import NestedRecords

/// A difference from JSON that the documents state.
struct AllowedDifference: Sendable {
    let reason: String
    let covers: @Sendable (Difference) -> Bool

    static let all = [
        AllowedDifference(reason: "A field of a record has a name: a key that is empty is refused, see the limits.") {
            $0.kind == .refused && $0.code == .invalidKey && $0.place.outer != .property
        },
        AllowedDifference(
            reason: """
                A strategy takes keys that are no dictionary's for names of properties, and snakeCase has one name for \
                'snakeCase' and 'snake_case'. JSON's own strategy does the same.
                """
        ) { $0.kind == .changed && $0.type == "open keys" && $0.way.strategy.hasPrefix("snakeCase") },
        AllowedDifference(
            reason: """
                The keys of a dictionary are data, which no strategy changes: one that is read from a record has the \
                names of its fields. JSON's own strategy does the same.
                """
        ) { $0.type == "record read as a dictionary" && $0.way.strategy.hasPrefix("custom") },
    ]
}
