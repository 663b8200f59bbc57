import NestedRecords

/// A problem that many records may have in the same way.
struct Finding {
    /// The type, or the type and the field, such as `Person.friends`.
    let place: String

    /// The name of several such problems.
    let kind: String

    /// The records of the problem.
    let records: String

    /// The problem in one line.
    let text: String

    /// Whether the problem is harmless.
    var isHarmless = false
}

extension Finding {
    /// A reference to a missing record.
    ///
    /// - Parameter other: The record that has the same name in another spelling; nil if there is none.
    init(_ reference: DanglingReference, meaning other: Record.ID?) {
        let step = reference.context.chain.first
        let source = step.map { "\($0.record) .\($0.path)" } ?? "\(reference.context)"
        place = Self.place(step?.record.type, reference.context.field)
        kind = "dangling references"
        records = "\(step.map { "\($0.record)" } ?? source) → \(reference.target)"
        text =
            "dangling reference: \(source) → \(reference.target)" + (other.map { "; did you mean \($0)?" } ?? "")
    }

    /// Records that delete each other.
    init(owningCycle cycle: [RecordContext.Step]) {
        place = Self.place(cycle.first?.record.type, nil)
        kind = "owning cycles"
        records = cycle.chainText
        text = "owning cycle: \(records)"
    }

    /// A record that is not reachable.
    init(orphan id: Record.ID) {
        place = id.type
        kind = "orphans"
        records = "\(id)"
        text = "orphan: \(id)"
    }

    /// A unique value with a wrong claim, or with several records.
    init(_ problem: UniqueValueProblem, isMended: Bool) {
        let note = isMended ? " (mended)" : ""
        place = Self.place(problem.recordType, problem.field)
        let kind =
            switch problem.kind {
            case .duplicate: "unique values in several records"
            case .unclaimed: "unique values without a claim"
            case .unused: "claims no longer in force"
            }
        self.kind = kind + note
        records = problem.records.prefix(2).map(\.description).joined(separator: ", ")
        text = "\(problem)" + note
        isHarmless = isMended || problem.kind == .unused
    }

    private static func place(_ type: String?, _ field: String?) -> String {
        [type, field].compactMap(\.self).joined(separator: ".")
    }
}
