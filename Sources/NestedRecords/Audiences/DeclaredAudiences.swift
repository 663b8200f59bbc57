/// The declared audiences of a database, with the numbers of the batches since which they are kept.
package struct DeclaredAudiences: Sendable {
    /// Why a reader's changes cannot be reported.
    package enum Refusal: Sendable, Hashable {
        /// The changes since then are forgotten.
        case purged

        /// A declaration is missing.
        case undeclared(AudienceNeed)
    }

    private var declared: [String: (audience: RecordAudience, since: UInt64)] = [:]

    package init() {}

    package var isEmpty: Bool { declared.isEmpty }

    package subscript(type: String) -> RecordAudience? { declared[type]?.audience }

    /// The types of the containers.
    package var containerTypes: Set<String> { Set(declared.values.compactMap(\.audience.containerType)) }

    /// - Parameters:
    ///   - audience: The audience; nil for none.
    ///   - type: The record type.
    ///   - number: The number of the batch that has declared it: changes before it are unknown.
    package mutating func set(_ audience: RecordAudience?, ofType type: String, since number: UInt64) {
        declared[type] = audience.map { ($0, number) }
    }

    /// Why the changes of a view since a number cannot be reported; nil if they can.
    package func refusal(of view: AudienceView, since number: UInt64) -> Refusal? {
        for need in view.needs {
            guard let known = declared[need.recordType], need.isMet(by: known.audience) else {
                return .undeclared(need)
            }
            if number < known.since { return .purged }
        }
        return nil
    }
}
